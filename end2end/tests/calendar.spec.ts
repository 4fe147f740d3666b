// The calendar as people use it: by pointer, by keyboard, on a phone, two at once.

import { expect, test, type Browser, type Locator, type Page } from '@playwright/test';

import { sql } from '../support/database.mjs';
import { Person } from '../support/person.mjs';
import { startPortal } from '../support/portal.mjs';

const PASSWORD = 'correct horse battery';
const HOST = 'dgx-h100';
const DAY = 86_400_000;
const ZONE = 'Europe/Berlin';

type Portal = Awaited<ReturnType<typeof startPortal>>;
let portal: Portal;
let ada: Person;
let grace: Person;
let cards: string[];

/** So many days from today, as an address and the fields of a form say it. Each test has days of its own. */
const day = (ahead: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE, dateStyle: 'short' }).format(Date.now() + ahead * DAY);

/** An hour of a day in the zone of the tests; none of them is in a night in which clocks change. */
function at(ahead: number, hour: number): Date {
  const noon = new Date(`${day(ahead)}T12:00:00Z`);
  const local = Number(new Intl.DateTimeFormat('en-GB', { timeZone: ZONE, hour: '2-digit', hour12: false }).format(noon));
  return new Date(noon.getTime() + (hour - local) * 3_600_000);
}

async function book(person: Person, on: string[], ahead: number, from: number, to: number, purpose: string): Promise<string> {
  return person.call(
    'book',
    {
      ask: {
        cards: on, purpose, idempotency_key: crypto.randomUUID(),
        window: { start: at(ahead, from).toISOString(), end: at(ahead, to).toISOString() },
      },
    },
    'application/json',
  );
}

/** A page of somebody who is signed in already. */
async function pageOf(browser: Browser, person: Person, options = {}): Promise<Page> {
  const context = await browser.newContext({ timezoneId: ZONE, ...options });
  const [name, value] = person.cookie.split('=');
  await context.addCookies([{ name: name ?? '', value: value ?? '', url: portal.url }]);
  return context.newPage();
}

async function calendar(page: Page, query: string): Promise<void> {
  await page.goto(`${portal.url}/calendar?${query}`);
  await page.locator('html[data-scripted=""]').waitFor({ state: 'attached' });
  // The picture is taken over once the calendar itself has come.
  await expect(page.locator('#cal-scroll .tl-host').first()).toBeVisible();
}

const row = (page: Page, card: number): Locator => page.locator(`#cal-scroll li.lane[data-card="${cards[card]}"]`);
const bars = (page: Page, purpose: string): Locator => page.locator('#cal-scroll .bk').filter({ hasText: purpose });
const panel = (page: Page): Locator => page.getByRole('complementary', { name: /booking/ });

/** Where an hour of the shown day is on a row. */
async function spot(page: Page, card: number, hour: number): Promise<{ x: number; y: number }> {
  const track = row(page, card).locator('.track');
  const box = await track.boundingBox();
  if (box === null) throw new Error('no such row in sight');
  // The day that is shown and the one after it.
  return { x: box.x + (box.width * hour) / 48, y: box.y + box.height / 2 };
}

async function drag(page: Page, from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
}

/** What the portal has of a booking. */
async function known(id: string): Promise<{ start: string; end: string; cards: number; state: string }> {
  const rows = sql(
    portal,
    `select to_char(lower(r.during) at time zone '${ZONE}', 'HH24:MI'), to_char(upper(r.during) at time zone '${ZONE}', 'HH24:MI'),
            (select count(*) from reservation_card c where c.reservation_id = r.reservation_id and not c.released),
            coalesce(r.fate, 'open')
     from reservation r where r.reservation_id = '${id}'`,
  );
  const [start = '', end = '', count = '', state = ''] = rows.trim().split('|');
  return { start, end, cards: Number(count), state };
}

const idOf = (purpose: string): string =>
  sql(portal, `select reservation_id from reservation where purpose = '${purpose}' order by created_at limit 1`).trim();

test.beforeAll(async () => {
  portal = await startPortal();
  ada = new Person(portal);
  const code = portal.setupLink.split('#code=')[1];
  await ada.call('set_up', { code, name: 'ada', display_name: 'Ada Lovelace', password: PASSWORD, zone: ZONE });
  grace = new Person(portal);
  await grace.call('sign_up', { name: 'grace', display_name: 'Grace Hopper', password: PASSWORD, zone: ZONE });
  let hosts: { cards: number }[] = [];
  await expect
    .poll(async () => (({ hosts } = await ada.call('admin', {})), hosts.length === 3 && hosts.every((host) => host.cards > 0)))
    .toBe(true);
  const fleet = await ada.call('fleet', {});
  const host = fleet.hosts.find((one: { name: string }) => one.name === HOST);
  cards = host.cards.map((card: { facts: { uuid: string } }) => card.facts.uuid);
});

test.afterAll(async () => {
  await portal?.stop();
});

test('a drag over two rows is a booking, and can be taken back', async ({ browser }) => {
  const page = await pageOf(browser, ada);
  await calendar(page, `zoom=day&from=${day(2)}&host=${HOST}&rows=number`);
  await drag(page, await spot(page, 0, 9), await spot(page, 1, 12));
  await expect(panel(page).getByLabel('Start')).toHaveValue(`${day(2)}T09:00`);
  await expect(panel(page).getByLabel('End')).toHaveValue(`${day(2)}T12:00`);
  await panel(page).getByLabel('Purpose').fill('dragged');
  await panel(page).getByRole('button', { name: /^Book 2 cards/ }).click();
  await expect(bars(page, 'dragged')).toHaveCount(1);
  await expect(panel(page)).toHaveCount(0);
  expect(await known(idOf('dragged'))).toEqual({ start: '09:00', end: '12:00', cards: 2, state: 'open' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(bars(page, 'dragged')).toHaveCount(0);
  expect((await known(idOf('dragged'))).state).toBe('cancelled');
});

test('a booking is moved and resized by pointer, Escape gives up, and a change is taken back', async ({ browser }) => {
  const id = await book(ada, [cards[0] ?? ''], 3, 9, 12, 'movable');
  const page = await pageOf(browser, ada);
  await calendar(page, `zoom=day&from=${day(3)}&host=${HOST}&rows=number`);
  const bar = bars(page, 'movable');
  await expect(bar).toHaveCount(1);

  await drag(page, await spot(page, 0, 10), await spot(page, 2, 13));
  await expect.poll(async () => known(id)).toEqual({ start: '12:00', end: '15:00', cards: 1, state: 'open' });
  expect(sql(portal, `select card_uuid from reservation_card where reservation_id = '${id}'`).trim()).toBe(cards[2]);

  // While it is saved, another one is drawn in its place.
  await expect(page.locator('#cal-scroll .moving, #cal-scroll .ghost')).toHaveCount(0);
  await expect(bar).toBeVisible();
  const end = await spot(page, 2, 15);
  await drag(page, { x: end.x - 3, y: end.y }, await spot(page, 2, 17));
  await expect.poll(async () => (await known(id)).end).toBe('17:00');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await known(id)).end).toBe('15:00');

  await expect(page.locator('#cal-scroll .moving, #cal-scroll .ghost')).toHaveCount(0);
  const from = await spot(page, 2, 13);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  const to = await spot(page, 4, 19);
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await expect(bar).toHaveCount(1);
  expect(await known(id)).toEqual({ start: '12:00', end: '15:00', cards: 1, state: 'open' });
});

test('who is in the way is named, and an offer is taken with one click', async ({ browser }) => {
  await book(grace, [cards[1] ?? ''], 4, 10, 14, 'in the way');
  const page = await pageOf(browser, ada);
  await calendar(page, `zoom=day&from=${day(4)}&host=${HOST}&rows=number`);
  await expect(bars(page, 'in the way')).toHaveCount(1);
  // From below, so that the bar itself is not taken.
  await drag(page, await spot(page, 0, 11), await spot(page, 1, 13));
  const clash = panel(page).locator('#clash');
  await expect(clash).toContainText('Grace Hopper');
  await expect(clash).toContainText('in the way');
  await panel(page).getByLabel('Purpose').fill('went round');
  await clash.locator('.ways a').first().click();
  await expect(clash.locator('.conflict')).toHaveCount(0);
  await panel(page).getByRole('button', { name: /^Book 2 cards/ }).click();
  await expect(bars(page, 'went round').first()).toBeVisible();
  expect((await known(idOf('went round'))).cards).toBe(2);
});

test('everything goes by keyboard alone, and is said', async ({ browser }) => {
  const page = await pageOf(browser, ada);
  await calendar(page, `zoom=day&from=${day(5)}&host=${HOST}&rows=number`);
  const box = page.getByRole('region', { name: 'Timeline' });
  await box.focus();
  // Nothing is planned before the first key.
  for (let quarter = 0; quarter < 8; quarter++) await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('status', { name: 'Timeline' })).toContainText(`${HOST} card 0`);
  await page.keyboard.press('Shift+ArrowDown');
  for (let quarter = 0; quarter < 3; quarter++) await page.keyboard.press('Shift+ArrowRight');
  await expect(page.getByRole('status', { name: 'Timeline' })).toContainText('1 h');
  await page.keyboard.press('Enter');
  await expect(panel(page).getByLabel('Start')).toBeFocused();
  await expect(panel(page).getByLabel('Start')).toHaveValue(`${day(5)}T02:00`);
  await panel(page).getByLabel('Purpose').focus();
  await page.keyboard.type('by keyboard');
  await page.keyboard.press('Enter');
  await expect(bars(page, 'by keyboard')).toHaveCount(1);
  expect(await known(idOf('by keyboard'))).toEqual({ start: '02:00', end: '03:00', cards: 2, state: 'open' });
});

test('on a phone a card is found in the list and booked', async ({ browser }) => {
  const page = await pageOf(browser, ada, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await page.goto(`${portal.url}/calendar?from=${day(6)}&host=${HOST}`);
  await page.locator('html[data-scripted=""]').waitFor({ state: 'attached' });
  const card = page.locator(`#cal-agenda details[data-card="${cards[3]}"]`);
  await card.locator('summary').tap();
  await card.locator('a[data-plan]').tap();
  await panel(page).getByLabel('Purpose').fill('from a phone');
  await panel(page).getByRole('button', { name: /^Book 1 card/ }).tap();
  await expect.poll(() => idOf('from a phone')).not.toBe('');
  await expect(card).toContainText('from a phone');
  const wider = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  expect(wider, 'nothing is wider than the screen').toBe(false);
});

test('on a phone the finder comes first, and keeps the day that is looked at', async ({ browser }) => {
  const page = await pageOf(browser, ada, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await page.goto(`${portal.url}/calendar?from=${day(12)}`);
  await page.locator('html[data-scripted]').waitFor({ state: 'attached' });
  const line = page.getByRole('region', { name: 'Find cards' });
  await expect(line).toBeInViewport();
  const [finder, agenda] = [await line.boundingBox(), await page.locator('#cal-agenda').boundingBox()];
  expect((finder?.y ?? 0) + (finder?.height ?? 0)).toBeLessThanOrEqual(agenda?.y ?? 0);
  await line.getByLabel('How many').selectOption('2');
  await expect(page).toHaveURL(new RegExp(`from=${day(12)}.*cards=2`));
  await expect(line.getByRole('list', { name: 'Best matches' }).getByRole('listitem').first()).toContainText(/\dNV\d+/);
  await line.getByRole('button', { name: /^Book/ }).first().tap();
  await expect(page).toHaveURL(/\/bookings\//);

  // Where the timeline is, the free cards are in sight.
  const wide = await pageOf(browser, ada);
  await calendar(wide, `from=${day(12)}`);
  await expect(wide.locator('#finder')).toBeHidden();
});

test('of a booking of somebody else the holder is asked, and one waits for such cards', async ({ browser }) => {
  const id = await book(grace, [cards[5] ?? '', cards[6] ?? ''], 13, 9, 17, 'wanted by others');
  const page = await pageOf(browser, ada);
  await calendar(page, `zoom=day&from=${day(13)}&host=${HOST}&rows=number`);
  const pop = page.getByRole('dialog', { name: 'Grace Hopper' });
  const open = async () => bars(page, 'wanted by others').first().click();
  const asked = () =>
    sql(portal, `select count(*) from notice where reservation_id = '${id}' and body->>'kind' = 'asked'`).trim();
  await open();
  await pop.getByRole('button', { name: 'Ask the holder' }).click();
  await expect(page.getByText('Grace Hopper has been asked.').first()).toBeVisible();
  expect(asked()).toBe('1');
  await open();
  await pop.getByRole('button', { name: 'Ask the holder' }).click();
  await expect(page.getByText('You have asked Grace Hopper today already.').first()).toBeVisible();
  expect(asked()).toBe('1');

  await open();
  await pop.getByRole('button', { name: 'Book it for me' }).click();
  const mode = () => sql(portal, `select mode, want->>'count' from waiting where done_at is null`).trim();
  await expect.poll(mode).toBe('book|2');
  await expect(bars(page, 'wanted by others').first().locator('a')).toHaveAccessibleName(/1 waiting/);
  await open();
  await expect(pop).toContainText('You wait for such cards: first in line');
  await pop.getByRole('button', { name: 'Stop waiting' }).click();
  await expect.poll(mode).toBe('');
});

test('who shares a booking is changed in the panel, and taken back with the rest', async ({ browser }) => {
  const id = await book(ada, [cards[7] ?? ''], 15, 9, 17, 'with colleagues');
  const page = await pageOf(browser, ada);
  const shared = () => sql(portal, `select count(*) from reservation_person where reservation_id = '${id}'`).trim();
  await calendar(page, `zoom=day&from=${day(15)}&host=${HOST}&rows=number`);
  const change = async () => {
    await bars(page, 'with colleagues').first().click();
    await page.getByRole('button', { name: 'Change', exact: true }).click();
  };
  const grace = panel(page).getByLabel(/Grace Hopper/);
  await change();
  await panel(page).locator('.morepeople summary').click();
  await expect(grace).not.toBeChecked();
  await grace.check();
  await panel(page).locator('#book-button').click();
  await expect.poll(shared).toBe('1');
  await expect(panel(page)).toHaveCount(0);
  await change();
  await expect(grace).toBeChecked();
  await panel(page).getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(shared).toBe('0');
});

test('giving a booking back says first what that does, and can be taken back', async ({ browser }) => {
  const id = await book(ada, [cards[7] ?? ''], 14, 9, 17, 'given back');
  const page = await pageOf(browser, ada);
  await calendar(page, `zoom=day&from=${day(14)}&host=${HOST}&rows=number`);
  await bars(page, 'given back').first().click();
  const pop = page.getByRole('dialog', { name: 'You' });
  // By keyboard: the first press says what would happen, and does nothing.
  await pop.locator('summary').filter({ hasText: 'Cancel booking' }).press('Enter');
  await expect(pop.getByText('All its cards become free for others.')).toBeVisible();
  expect((await known(id)).state).toBe('open');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(bars(page, 'given back')).toHaveCount(0);
  expect((await known(id)).state).toBe('cancelled');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(bars(page, 'given back')).toHaveCount(1);
  const again = sql(portal, `select count(*) from reservation where purpose = 'given back' and fate is null`);
  expect(again.trim()).toBe('1');
});

test('what repeats over a change of clocks stays at its hour, and a time that does not exist is said', async ({ browser }) => {
  const page = await pageOf(browser, ada);
  // The next night in which clocks go forward in Berlin: the last Sunday of March.
  const year = new Date().getUTCFullYear() + (Date.now() > Date.UTC(new Date().getUTCFullYear(), 2, 24) ? 1 : 0);
  const last = new Date(Date.UTC(year, 2, 31));
  const sunday = 31 - last.getUTCDay();
  const march = (n: number) => `${year}-03-${String(n).padStart(2, '0')}`;
  const plan = async (clock: string, end: string) => {
    await page.goto(`${portal.url}/book?card=${cards[4]}`);
    await page.locator('html[data-scripted=""]').waitFor({ state: 'attached' });
    await page.getByLabel('Start', { exact: true }).fill(`${march(sunday - 1)}T${clock}`);
    await page.getByLabel('End', { exact: true }).fill(`${march(sunday - 1)}T${end}`);
    await page.getByLabel('Repeat').selectOption({ label: 'Every day' });
    await page.getByLabel('Last day').fill(march(sunday + 1 > 31 ? 31 : sunday + 1));
  };
  await plan('02:30', '04:00');
  await expect(page.getByText(/clocks go forward over this time/)).toBeVisible();
  await plan('09:00', '11:00');
  await page.getByLabel('Purpose').fill('every morning');
  await page.locator('#book-button').click();
  await expect.poll(() => idOf('every morning')).not.toBe('');
  const starts = sql(
    portal,
    `select distinct to_char(lower(during) at time zone '${ZONE}', 'HH24:MI') from reservation where purpose = 'every morning'`,
  );
  expect(starts.trim()).toBe('09:00');
  const offsets = sql(
    portal,
    `select count(distinct extract(hour from lower(during) at time zone 'UTC')) from reservation where purpose = 'every morning'`,
  );
  expect(offsets.trim(), 'an hour apart in UTC').toBe('2');
});

test('all that follow are moved onto an hour that comes twice, once it is said which is meant', async ({ browser }) => {
  const page = await pageOf(browser, ada);
  // The next night in which clocks go back in Berlin: the last Sunday of October.
  const year = new Date().getUTCFullYear() + (Date.now() > Date.UTC(new Date().getUTCFullYear(), 9, 20) ? 1 : 0);
  const sunday = 31 - new Date(Date.UTC(year, 9, 31)).getUTCDay();
  const october = (n: number) => `${year}-10-${n}`;
  await page.goto(`${portal.url}/book?card=${cards[4]}`);
  await page.locator('html[data-scripted]').waitFor({ state: 'attached' });
  await page.getByLabel('Start', { exact: true }).fill(`${october(sunday - 2)}T09:00`);
  await page.getByLabel('End', { exact: true }).fill(`${october(sunday - 2)}T11:00`);
  await page.getByLabel('Repeat').selectOption({ label: 'Every day' });
  await page.getByLabel('Last day').fill(october(sunday));
  await page.getByLabel('Purpose').fill('moved to night');
  await page.locator('#book-button').click();
  // The page leads to what was booked.
  await expect(page).toHaveURL(/\/bookings\//);
  const starts = () =>
    sql(portal, `select string_agg(to_char(lower(during) at time zone 'UTC', 'DD HH24:MI'), ' ' order by during)
                 from reservation where purpose = 'moved to night'`).trim();
  const before = starts();

  await calendar(page, `zoom=day&from=${october(sunday - 1)}&host=${HOST}&rows=number`);
  await bars(page, 'moved to night').first().click();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const which = panel(page).getByText('Where a time comes twice');
  await panel(page).getByLabel('Start', { exact: true }).fill(`${october(sunday - 1)}T02:30`);
  await panel(page).getByLabel('End', { exact: true }).fill(`${october(sunday - 1)}T04:30`);
  await panel(page).getByLabel('This and all that follow').check();
  await expect(which).toBeHidden();
  await panel(page).locator('#book-button').click();
  await expect(which).toBeVisible();
  await expect(panel(page).locator('#refused')).toContainText('comes twice');
  expect(starts(), 'nothing was changed').toBe(before);
  await panel(page).getByLabel('take the second').check();
  await panel(page).locator('#book-button').click();
  await expect(panel(page)).toHaveCount(0);
  expect(starts()).toBe(`${sunday - 2} 07:00 ${sunday - 1} 00:30 ${sunday} 01:30`);
});

test('what somebody else books appears by itself and disturbs nothing', async ({ browser }) => {
  const page = await pageOf(browser, ada);
  await calendar(page, `zoom=day&from=${day(8)}&host=${HOST}&rows=number`);
  await drag(page, await spot(page, 0, 9), await spot(page, 0, 11));
  await panel(page).getByLabel('Purpose').fill('half typed');
  await book(grace, [cards[1] ?? ''], 8, 9, 11, 'of the other one');
  await expect(bars(page, 'of the other one')).toHaveCount(1);
  await expect(panel(page).getByLabel('Purpose')).toHaveValue('half typed');
  // What is planned is taken meanwhile: that is said before it is sent.
  await book(grace, [cards[0] ?? ''], 8, 10, 12, 'faster');
  await expect(panel(page).locator('#clash')).toContainText('Grace Hopper');
  await expect(panel(page).getByLabel('Purpose')).toHaveValue('half typed');
});

test('what is shown is in the address, and a colleague sees the same', async ({ browser }) => {
  const page = await pageOf(browser, ada);
  await calendar(page, `from=${day(9)}`);
  await expect(page.locator('#cal-scroll .tl-host')).toHaveCount(3);
  await page.getByRole('link', { name: 'Week', exact: true }).click();
  await expect(page).toHaveURL(/zoom=week/);
  await page.getByRole('link', { name: 'Only mine' }).click();
  await expect(page).toHaveURL(/mine=1/);
  await calendar(page, `zoom=week&from=${day(9)}&host=rig-3090`);
  const other = await pageOf(browser, grace);
  await other.goto(page.url());
  await expect(other.locator('#cal-scroll .tl-host')).toHaveCount(1);
  await expect(other.getByRole('link', { name: 'Week', exact: true })).toHaveAttribute('aria-current', 'true');
  await expect(other.locator('#cal-scroll .tl-host')).toHaveAttribute('data-host', 'rig-3090');
});

test('of 512 cards only those in sight are in the document', async ({ browser }) => {
  sql(
    portal,
    `insert into host (host_id, name, created_at)
     select gen_random_uuid(), 'many-' || lpad(n::text, 2, '0'), now() from generate_series(1, 64) n;
     insert into card (card_uuid, host_id, gpu, card_index, name, memory_mib, first_seen, last_seen)
     select 'GPU-' || h.name || '-' || k, h.host_id, 'GPU-' || h.name || '-' || k, k, 'NVIDIA H100 80GB HBM3', 81559, now(), now()
     from host h, generate_series(0, 7) k where h.name like 'many-%';`,
  );
  const page = await pageOf(browser, ada);
  await calendar(page, `zoom=2weeks&from=${day(10)}`);
  const hosts = page.locator('#cal-scroll .tl-host');
  await expect.poll(async () => hosts.count()).toBeGreaterThan(60);
  const lanes = page.locator('#cal-scroll li.lane[data-card]');
  await expect.poll(async () => lanes.count()).toBeLessThan(200);
  const last = page.locator('#cal-scroll .tl-host[data-host="many-64"]');
  await page.locator('#cal-scroll').evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await expect(last.locator('li.lane[data-card]').first()).toBeVisible();
  await expect.poll(async () => lanes.count()).toBeLessThan(200);
  sql(portal, `delete from card where card_uuid like 'GPU-many-%'; delete from host where name like 'many-%'`);
});
