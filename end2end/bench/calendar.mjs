// The calendar of two weeks, full: what the server needs for the page, what is sent, and how long a browser's frames take
// while somebody drags over it, or scrolls.

import { chromium } from '@playwright/test';

import { client, mustBe, quantile } from './client.mjs';

const PATH = '/calendar?zoom=2weeks';

/** The page as a browser asks for it. */
async function pages(name, park, report, goal) {
  const line = client(park.portal, park.ada);
  const took = [];
  let bytes = 0;
  try {
    for (let n = 0; n < 110; n++) {
      const reply = mustBe(await line.ask('GET', PATH, null, { accept: 'text/html', 'accept-encoding': 'gzip, deflate, br, zstd' }), 200);
      bytes = reply.bytes;
      if (n >= 10) took.push(reply.took);
    }
  } finally {
    line.close();
  }
  report(`${name}.page.p50`, quantile(took, 0.5), 'ms', goal);
  report(`${name}.page.p99`, quantile(took, 0.99), 'ms', goal);
  report(`${name}.page.sent`, bytes / 1000, 'kB');
}

/** The calendar in a browser, all there. Also gives the bytes that its island fetched. */
async function opened(park, act) {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: [...sandbox, '--disable-quic'] });
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, timezoneId: 'UTC' });
    const [name, value] = park.ada.cookie.split('=');
    await context.addCookies([{ name, value, url: park.portal.url }]);
    const page = await context.newPage();
    const fetched = page.waitForEvent('requestfinished', (asked) => new URL(asked.url()).pathname === '/api/page/calendar');
    await page.goto(park.portal.url + PATH);
    await page.locator('html[data-scripted]').waitFor({ state: 'attached' });
    const { responseBodySize } = await (await fetched).sizes();
    await page.locator('#cal-scroll .bk').first().waitFor();
    await page.evaluate(() => {
      window.longest = 0;
      let last = performance.now();
      const frame = (now) => {
        window.longest = Math.max(window.longest, now - last);
        last = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    });
    await page.waitForTimeout(1000);
    return { result: await act(page), responseBodySize };
  } finally {
    await browser.close();
  }
}

const begin = (page) => page.evaluate(() => (window.longest = 0));
const longest = (page) => page.evaluate(() => window.longest);

/** A place in sight where nobody has booked: a drag begins there. */
const freePlace = (page) =>
  page.evaluate(() => {
    for (const row of document.querySelectorAll('#cal-scroll li.lane[data-card] .track')) {
      const box = row.getBoundingClientRect();
      for (let x = Math.max(box.left, 300); x < innerWidth - 300; x += 8) {
        const y = box.top + box.height / 2;
        const there = document.elementFromPoint(x, y);
        if (y > 250 && y < innerHeight - 300 && there !== null && row.contains(there) && there.closest('.bk') === null) return { x, y };
      }
    }
    return null;
  });

/** The longest time between two frames while the pointer drags a selection to and fro. */
async function drag(page) {
  const start = await freePlace(page);
  if (start === null) throw new Error('no free place is in sight');
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + 30, start.y + 10, { steps: 4 });
  if ((await page.locator('#cal-scroll .sel').count()) === 0) throw new Error('nothing is being selected');
  await begin(page);
  for (let turn = 0; turn < 4; turn++) {
    await page.mouse.move(start.x + 250, start.y + 250, { steps: 40 });
    await page.mouse.move(start.x + 20, start.y + 10, { steps: 40 });
  }
  const worst = await longest(page);
  await page.mouse.up();
  return worst;
}

/** The same while all hosts are scrolled past, down and up again. */
async function scroll(page) {
  await page.mouse.move(800, 600);
  const top = () => page.locator('#cal-scroll').evaluate((box) => box.scrollTop);
  await begin(page);
  for (const step of [400, -400]) {
    for (let before = -1, now = await top(); now !== before; ) {
      for (let n = 0; n < 5; n++) await page.mouse.wheel(0, step);
      // Frames go on meanwhile; this waits for two of them.
      await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))));
      before = now;
      now = await top();
    }
  }
  return longest(page);
}

/** As large as most groups are. */
export async function calendarFigures(name, park, report) {
  await pages(name, park, report, 50);
  const { result, responseBodySize } = await opened(park, drag);
  report(`${name}.fetched`, responseBodySize / 1000, 'kB');
  report(`${name}.longest_frame`, result, 'ms', 50);
}

/** As large as a computing centre. */
export async function crowdedFigures(name, park, report) {
  await pages(name, park, report, null);
  const { result, responseBodySize } = await opened(park, async (page) => ({ scrolled: await scroll(page), dragged: await drag(page) }));
  report(`${name}.fetched`, responseBodySize / 1000, 'kB');
  report(`${name}.longest_frame`, result.scrolled, 'ms');
  report(`${name}.longest_drag_frame`, result.dragged, 'ms');
}
