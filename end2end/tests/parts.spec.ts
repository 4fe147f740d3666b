// The browser part is in two: each page loads one of them, and finds in it whatever comes alive there.

import { expect, test } from '@playwright/test';

import { Person } from '../support/person.mjs';
import { startPortal } from '../support/portal.mjs';

type Portal = Awaited<ReturnType<typeof startPortal>>;
let portal: Portal;
let ada: Person;
let booking: string;

test.beforeAll(async () => {
  test.setTimeout(120_000);
  portal = await startPortal();
  ada = new Person(portal);
  await ada.call('set_up', {
    code: portal.setupLink.split('#code=')[1], name: 'ada', display_name: 'Ada Lovelace',
    password: 'correct horse battery', zone: 'Europe/Berlin',
  });
  await expect(async () => {
    const { hosts } = await ada.call('fleet', {});
    const card = hosts[0].cards[0].facts.uuid;
    const start = new Date(Date.now() + 3_600_000).toISOString();
    const ask = {
      cards: [card], purpose: 'parts', idempotency_key: crypto.randomUUID(),
      window: { start, end: new Date(Date.now() + 7_200_000).toISOString() },
    };
    booking = await ada.call('book', { ask }, 'application/json');
  }).toPass({ timeout: 60_000 });
});

test.afterAll(async () => {
  await portal?.stop();
});

test('each page loads the part that has its islands, and no other', async ({ browser }) => {
  const host = (await ada.call('fleet', {})).hosts[0].name;
  const signedOut = ['/sign-in', '/sign-up', '/setup'];
  const planning = ['/calendar', '/calendar?view=list', '/book', `/book?change=${booking}`];
  const others = [
    '/', '/find', '/hosts', `/hosts/${host}`, '/bookings', `/bookings/${booking}`, '/notices', '/account', '/admin',
    '/admin/cards', '/admin/maintenance', '/admin/rules', '/admin/groups', '/admin/labels', '/nowhere',
  ];
  const [name, value] = ada.cookie.split('=');
  for (const path of [...signedOut, ...planning, ...others]) {
    const context = await browser.newContext();
    if (!signedOut.includes(path)) {
      await context.addCookies([{ name: name ?? '', value: value ?? '', url: portal.url }]);
    }
    const page = await context.newPage();
    const parts: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => {
      const part = /\/pkg\/(\w+)\.\w+\.wasm$/.exec(request.url());
      if (part?.[1] !== undefined) parts.push(part[1]);
    });
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(portal.url + path);
    const root = page.locator('html[data-scripted]');
    await expect(root, path).toBeAttached();
    expect(await root.getAttribute('data-scripted'), `islands of ${path} that are not in its part`).toBe('');
    expect(new Set(parts), path).toEqual(new Set([planning.includes(path) ? 'plan' : 'look']));
    expect(errors, path).toEqual([]);
    await context.close();
  }
});
