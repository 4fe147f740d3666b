// The main job, end to end, against the built programs: from the set-up link to a refused launch, and a host that goes
// away and comes back.

import { expect, type Page, test } from '@playwright/test';

import {
  agentPid,
  endJobs,
  installProgram,
  makeAccount,
  removeAccount,
  runOn,
  startOn,
  startPortal,
} from '../support/portal.mjs';

const PASSWORD = 'a long enough passphrase';
const ACCOUNTS = { ada: 'berth-e2e-ada', grace: 'berth-e2e-grace' };
const HOST = 'dgx-h100';

type Portal = Awaited<ReturnType<typeof startPortal>>;
let portal: Portal;

test.beforeAll(async () => {
  test.setTimeout(120_000);
  for (const account of Object.values(ACCOUNTS)) makeAccount(account);
  portal = await startPortal();
  // What people copy says `python train.py`. This one tells what it was given, and stays while it is watched.
  const python = [
    '#!/bin/bash',
    'echo "cards=$CUDA_VISIBLE_DEVICES order=$CUDA_DEVICE_ORDER args=$*"',
    '[ -z "$STAY" ] || exec -a "python $*" sleep 600',
  ];
  installProgram(portal, 'python', `${python.join('\n')}\n`);
});

test.afterAll(async () => {
  await portal?.stop();
  for (const account of Object.values(ACCOUNTS)) removeAccount(account);
});

/** Waits until scripts have taken the page over; before that a click may still be a plain form post. */
async function scripted(page: Page) {
  await expect(page.locator('html[data-scripted=""]')).toBeAttached();
}

const tile = (page: Page, index: number) =>
  page.getByRole('listitem').filter({ has: page.getByLabel(`Pick card ${index} on ${HOST}`, { exact: true }) });

test('from the set-up link to a refused launch', async ({ browser }) => {
  const errors: string[] = [];
  const person = async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('Failed to load resource')) errors.push(message.text());
    });
    return page;
  };

  // Nobody has an account: every address leads to set-up, and the link from the terminal fills its code in.
  const ada = await person();
  await ada.goto(portal.url);
  await expect(ada).toHaveURL(`${portal.url}/setup`);
  await ada.goto(portal.setupLink);
  await ada.reload();
  await expect(ada.getByLabel('Set-up code')).toHaveValue(portal.setupLink.split('#code=')[1]);
  await ada.getByRole('textbox', { name: /^Name/ }).fill('ada');
  await ada.getByRole('textbox', { name: /^Full name/ }).fill('Ada Lovelace');
  await ada.getByLabel(/^Password/).fill(PASSWORD);
  await ada.getByRole('button', { name: 'Make administrator' }).click();
  await expect(ada).toHaveURL(`${portal.url}/`);

  // All hosts and cards, and values that move without a reload.
  for (const host of [HOST, 'rig-3090', 'ws-mixed']) await expect(ada.getByRole('heading', { name: host })).toBeVisible();
  await expect(ada.getByRole('checkbox', { name: /^Pick card/ })).toHaveCount(15);
  await scripted(ada);
  await expect(ada.getByRole('banner')).toContainText('Live');
  await ada.evaluate(() => ((window as unknown as { stayed: boolean }).stayed = true));
  const values = () => ada.getByRole('main').innerText();
  const before = await values();
  await expect.poll(values).not.toBe(before);

  // A second person makes an account of her own.
  const grace = await person();
  await grace.goto(portal.url);
  await expect(grace).toHaveURL(/\/sign-in/);
  await grace.getByRole('link', { name: 'Make one' }).click();
  await grace.getByRole('textbox', { name: /^Name/ }).fill('grace');
  await grace.getByRole('textbox', { name: /^Full name/ }).fill('Grace Hopper');
  await grace.getByLabel(/^Password/).fill(PASSWORD);
  await grace.getByRole('button', { name: 'Make account' }).click();
  await expect(grace).toHaveURL(`${portal.url}/`);
  await expect(grace.getByRole('link', { name: 'Admin' })).toHaveCount(0);

  // The administrator says whose one account is ...
  const admin = await ada.context().newPage();
  await admin.goto(`${portal.url}/admin`);
  await admin.getByLabel('Account on the host').fill(ACCOUNTS.ada);
  await admin.getByLabel('Host', { exact: true }).selectOption({ label: 'All hosts' });
  await admin.getByLabel('Person').selectOption({ label: 'Ada Lovelace (ada)' });
  await admin.getByRole('button', { name: 'Match account' }).click();
  await expect(admin.getByRole('cell', { name: `${ACCOUNTS.ada} on All hosts`, exact: true })).toBeVisible();
  await admin.close();

  // ... and the other person proves hers on the host.
  await grace.goto(`${portal.url}/account`);
  await scripted(grace);
  await grace.getByRole('button', { name: 'Make a code' }).click();
  const shown = grace.locator('.linkcode pre');
  await expect(shown).toHaveText(/berth link [A-Z0-9]+-[A-Z0-9]+/);
  const linked = await runOn(portal, HOST, ACCOUNTS.grace, await shown.innerText());
  expect(linked, linked.stderr).toMatchObject({ code: 0 });
  await grace.reload();
  await expect(grace.getByText(ACCOUNTS.grace)).toBeVisible();

  // Two cards of one host, in one booking.
  await ada.getByRole('checkbox', { name: `Pick card 2 on ${HOST}` }).check();
  await ada.getByRole('checkbox', { name: `Pick card 5 on ${HOST}` }).check();
  await ada.getByRole('button', { name: 'Book 2 cards' }).click();
  await expect(ada).toHaveURL(/\/book\?/);
  await scripted(ada);
  await ada.getByLabel('Purpose').fill('ViT ablation');
  await ada.getByRole('button', { name: /^Book 2 cards/ }).click();
  await expect(ada).toHaveURL(/\/bookings\/[0-9a-f-]{36}$/);
  await expect(ada.getByRole('heading', { level: 1, name: 'ViT ablation' })).toBeVisible();
  const booking = ada.url();

  // The second person sees who was faster and until when, and loses nothing that she typed.
  await grace.goto(portal.url);
  const uuid = await grace.getByRole('checkbox', { name: `Pick card 2 on ${HOST}` }).getAttribute('value');
  const other = await grace.getByRole('checkbox', { name: `Pick card 5 on ${HOST}` }).getAttribute('value');
  await expect(tile(grace, 2)).toContainText('Ada Lovelace');
  await grace.goto(`${portal.url}/book?card=${uuid}`);
  await scripted(grace);
  await grace.getByLabel('Purpose').fill('I want it too');
  const taken = grace.getByRole('alert').filter({ hasText: 'Ada Lovelace' });
  await expect(taken).toContainText(`${HOST}, card 2 is taken`);
  // Each way out rewrites the form, and the button says what will happen.
  await taken.getByRole('link', { name: /^Start at / }).click();
  await expect(taken).toHaveCount(0);
  await expect(grace.getByRole('button', { name: /^Book 1 card, / })).toBeVisible();
  await expect(grace.getByLabel('Purpose')).toHaveValue('I want it too');
  await expect(grace).toHaveURL(/\/book/);

  // The line as it is copied starts on exactly the booked cards ...
  await scripted(ada);
  await ada.getByRole('button', { name: /^Copy/ }).first().click();
  const line = await ada.evaluate(() => navigator.clipboard.readText());
  expect(line).toContain('berth run');
  // The agent learns of a booking with the answer to its next report.
  let started = { code: -1, stdout: '', stderr: '' };
  await expect
    .poll(async () => (started = await runOn(portal, HOST, ACCOUNTS.ada, line)).code, { message: 'the launch is granted' })
    .toBe(0);
  expect(started.stdout.trim()).toBe(`cards=${uuid},${other} order=PCI_BUS_ID args=train.py`);

  // ... and is refused to the other, who is told who holds what until when, and what is free.
  const refused = await runOn(portal, HOST, ACCOUNTS.grace, 'berth run --cards 2 -- python train.py');
  expect(refused.code).toBe(77);
  expect(refused.stdout).toBe('');
  expect(refused.stderr).toContain('berth: not started');
  expect(refused.stderr).toMatch(new RegExp(`Card 2 on ${HOST} is reserved by Ada Lovelace until `));
  expect(refused.stderr).toContain('Free now');
  expect((await runOn(portal, HOST, ACCOUNTS.grace, line)).code).toBe(77);

  // While her job runs, everybody sees whose it is.
  startOn(portal, HOST, ACCOUNTS.ada, `STAY=1 ${line}`);
  await grace.goto(portal.url);
  await expect(tile(grace, 2)).toContainText('train.py');
  endJobs(ACCOUNTS.ada);
  await expect(tile(grace, 2)).not.toContainText('train.py');

  // A host that hangs goes grey, then says so, and comes back by itself.
  const agent = agentPid(portal, HOST);
  const section = grace.getByRole('region', { name: HOST });
  process.kill(agent, 'SIGSTOP');
  await expect(section).toContainText(/\d+ s ago/);
  await expect(section).toContainText(/No report since \d\d:\d\d/, { timeout: 60_000 });
  await expect(tile(grace, 2)).toContainText('Ada Lovelace');
  process.kill(agent, 'SIGCONT');
  await expect(section).not.toContainText('No report since', { timeout: 40_000 });

  // Ended early, the cards are free again; the booking stays on record.
  await ada.goto(booking);
  await scripted(ada);
  await ada.goto(`${portal.url}/bookings`);
  await ada.getByText('End now').first().click();
  await ada.getByRole('button', { name: 'End booking now' }).first().click();
  await expect(ada.getByRole('region', { name: 'Your past bookings' })).toContainText('ViT ablation');
  await expect(tile(grace, 2)).toContainText('Free');

  expect(errors).toEqual([]);
});
