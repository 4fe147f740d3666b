// The page of a host against the built programs: the picture of its links by pointer and keyboard, the matrix, values
// that move, what breaks while somebody looks, and MIG instances.

import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, type Page, test } from '@playwright/test';

import { startPortal } from '../support/portal.mjs';

type Portal = Awaited<ReturnType<typeof startPortal>>;
let portal: Portal;
let page: Page;
const errors: string[] = [];

test.beforeAll(async ({ browser }) => {
  test.setTimeout(120_000);
  portal = await startPortal({ BERTH_SIM_HOSTS: 'all' });
  page = await (await browser.newContext()).newPage();
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(portal.setupLink);
  await scripted();
  await page.getByRole('textbox', { name: /^Name/ }).fill('ada');
  await page.getByRole('textbox', { name: /^Full name/ }).fill('Ada Lovelace');
  await page.getByLabel(/^Password/).fill('a long enough passphrase');
  await page.getByRole('button', { name: 'Make administrator' }).click();
  await expect(page).toHaveURL(`${portal.url}/`);
  // Otherwise the page that is still loading gets in the way of the next one.
  await scripted();
});

test.afterAll(async () => {
  await portal?.stop();
});

/** Waits until scripts have taken the page over. */
async function scripted() {
  await expect(page.locator('html[data-scripted=""]')).toBeAttached();
}

/** Opens a host's page once its agent has told how its cards are linked. */
async function open(host: string) {
  await expect(async () => {
    await page.goto(`${portal.url}/hosts/${host}`);
    await expect(page.locator('svg.topo')).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 60_000 });
  await scripted();
}

const topology = () => page.getByRole('region', { name: 'Topology' });
const card = (index: number) => topology().getByRole('link', { name: new RegExp(`^Card ${index}:`) });

test('from the list to a host and on to another one', async () => {
  await page.goto(portal.url);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Hosts' }).click();
  await expect(page).toHaveURL(`${portal.url}/hosts`);
  await expect(page.getByRole('listitem').filter({ hasText: 'dgx-2' })).toContainText('16 ×');
  await page.getByRole('link', { name: 'Open the page of rig-3090' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'rig-3090' })).toBeVisible();
  await page.getByRole('navigation', { name: 'Host', exact: true }).getByRole('link', { name: 'dgx-2' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'dgx-2' })).toBeVisible();
  await page.goto(`${portal.url}/hosts/nowhere`);
  const missing = page.getByRole('alert').filter({ hasText: 'There is no host of this name' });
  await expect(missing.getByRole('heading', { name: 'Nothing is here' })).toBeVisible();
  await expect(missing.getByRole('link', { name: 'See all cards' })).toBeVisible();
});

test('bridges between cards that are no neighbours, by eye, by keyboard and read out', async () => {
  await open('rig-3090');
  const matrix = page.getByRole('table', { name: 'How each card reaches each other one' });
  const row = matrix.getByRole('row').nth(1);
  await expect(row.getByRole('cell')).toHaveText(['X', /PHB|NODE/, 'NV4', 'NODE', '0–23', '0']);
  const said = await page.locator('svg.topo').getAttribute('aria-label');
  expect(said).toContain('Cards 0 and 2 are linked by 4 NVLinks, version 3.1');
  expect(said).toContain('Cards 1 and 3 are linked by 4 NVLinks');
  // Only the words that occur are explained.
  await expect(topology().getByRole('definition').filter({ hasText: 'PCIe switch' })).toHaveCount(0);

  const lit = () => topology().locator('[data-lit]');
  await expect(lit()).toHaveCount(0);
  await card(0).focus();
  await expect(topology().locator('.wire[data-lit]')).toHaveAttribute('data-ends', '0 2');
  await expect(topology().locator('tr[data-lit]')).toHaveAttribute('data-ends', '0');
  await expect(topology().locator('.node[data-lit]')).toHaveCount(2);
  await page.keyboard.press('Tab');
  await expect(topology().locator('.wire[data-lit]')).toHaveAttribute('data-ends', '1 3');
  await page.getByRole('heading', { level: 1 }).hover();
  await matrix.getByRole('row').nth(4).hover();
  await expect(topology().locator('.wire[data-lit]')).toHaveAttribute('data-ends', '1 3');

  // A card leads to its row.
  await card(2).press('Enter');
  await expect(page).toHaveURL(/#card-GPU-/);
});

test('sixteen cards in one fabric, on a phone without a wider page', async () => {
  await open('dgx-2');
  await expect(topology().getByRole('link', { name: /^Card \d+:/ })).toHaveCount(16);
  expect(await page.locator('svg.topo').getAttribute('aria-label')).toMatch(/NVSwitch fabric.*6 links from every card/);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1440, height: 1000 });
});

test('values move without a reload, and a booking shows in the picture', async () => {
  await open('hgx-h100');
  await page.evaluate(() => ((window as unknown as { stayed: boolean }).stayed = true));
  const values = () => page.getByRole('region', { name: 'Cards', exact: true }).innerText();
  const before = await values();
  await expect.poll(values).not.toBe(before);
  await expect(card(3)).toHaveAttribute('data-state', 'free');
  const other = await page.context().newPage();
  const uuid = await card(3).getAttribute('data-node');
  await other.goto(`${portal.url}/book?card=${uuid}`);
  await expect(other.locator('html[data-scripted=""]')).toBeAttached();
  await other.getByRole('button', { name: /^Book/ }).last().click();
  await expect(other).toHaveURL(/\/bookings\/[0-9a-f-]{36}$/);
  await other.close();
  await expect(card(3)).toHaveAttribute('data-state', 'mine');
  await expect(card(3)).toHaveAccessibleName(/Yours until/);
  expect(await page.evaluate(() => (window as unknown as { stayed: boolean }).stayed)).toBe(true);
});

test('MIG instances are cards of their own and the card that they are cut from is not', async () => {
  await page.goto(portal.url);
  const section = page.getByRole('region', { name: 'a100-mig' });
  await expect(section.getByText(/^Cut into \d MIG instance/).first()).toBeVisible();
  await open('a100-mig');
  const instances = page.getByRole('region', { name: /^MIG instances of card/ }).first();
  await expect(instances).toContainText('NVIDIA gives no utilisation for an instance');
  await expect(instances.getByRole('row').nth(1)).toContainText(/GI \d+ · CI \d+/);
  await expect(instances).not.toContainText('%');
});

test('every kind of machine has its page', async () => {
  test.setTimeout(180_000);
  await page.goto(`${portal.url}/hosts`);
  const links = page.getByRole('link', { name: /^Open the page of / });
  await expect(links).toHaveCount(16);
  const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  for (const address of addresses) {
    const host = address.split('/').pop() ?? '';
    await open(host);
    await expect(page.getByRole('heading', { level: 1, name: host })).toBeVisible();
    const cards = await topology().getByRole('link', { name: /^Card \d+:/ }).count();
    expect(cards, host).toBeGreaterThan(0);
    await expect(page.getByRole('region', { name: 'Cards', exact: true }).getByRole('row')).toHaveCount(cards + 1);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), host).toBeLessThanOrEqual(0);
  }
});

test('whoever has booked a card that is lost is told', async () => {
  const control = join(portal.simDir, 'pcie-8/control.toml');
  const put = (text: string) => {
    writeFileSync(`${control}.new`, text);
    renameSync(`${control}.new`, control);
  };
  await open('pcie-8');
  const uuid = await card(1).getAttribute('data-node');
  await page.goto(`${portal.url}/book?card=${uuid}`);
  await scripted();
  await page.getByRole('button', { name: /^Book/ }).last().click();
  await expect(page).toHaveURL(/\/bookings\/[0-9a-f-]{36}$/);
  const told = page.getByRole('alert').filter({ hasText: 'Card 1 on pcie-8 is lost.' });
  await expect(told).toHaveCount(0);
  put('lost = [1]\n');
  await expect(async () => {
    await page.reload();
    await expect(told).toBeVisible({ timeout: 500 });
  }).toPass({ timeout: 30_000 });
  await expect(told).toContainText('The booking stays as it is; nothing moves by itself.');
  await page.goto(`${portal.url}/bookings`);
  await expect(page.getByRole('row', { name: /pcie-8/ }).first()).toContainText('1 card cannot be used');
  put('');
});

test('without scripts the page is whole', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, storageState: await page.context().storageState() });
  const still = await context.newPage();
  await still.goto(`${portal.url}/hosts/rig-3090`);
  await expect(still.locator('svg.topo .node')).toHaveCount(4);
  await expect(still.getByRole('region', { name: 'Cards', exact: true }).getByRole('row')).toHaveCount(5);
  await expect(still.getByText('Hover or focus a card')).toBeHidden();
  await context.close();
});

test('no page has thrown', () => {
  expect(errors).toEqual([]);
});
