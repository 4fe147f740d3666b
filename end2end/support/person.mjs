// A person who speaks to the portal as a browser does, without a browser.

/** Signed in after `set_up`, `sign_up` or `sign_in`. */
export class Person {
  constructor(portal) {
    this.portal = portal;
    this.cookie = '';
  }

  async call(endpoint, body, type = 'application/x-www-form-urlencoded') {
    const response = await fetch(`${this.portal.url}/api/page/${endpoint}`, {
      method: 'POST',
      headers: { 'content-type': type, accept: 'application/json', 'sec-fetch-site': 'same-origin', cookie: this.cookie },
      body: type === 'application/json' ? JSON.stringify(body) : new URLSearchParams(body),
    });
    const cookie = response.headers.getSetCookie().map((line) => line.split(';')[0]);
    if (cookie.length > 0) this.cookie = cookie.join('; ');
    const text = await response.text();
    if (!response.ok) throw new Error(`${endpoint}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  async page(path) {
    const response = await fetch(this.portal.url + path, { headers: { cookie: this.cookie }, redirect: 'manual' });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    return text;
  }
}
