// The first look: what `make demo` prints leads to a portal full of people and bookings, and the removal to one that can be
// set up.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { expect, test } from '@playwright/test';

import { root, startPortal } from '../support/portal.mjs';

test('one account shows everything, and goes with the rest', async ({ page }) => {
  const portal = await startPortal({ BERTH_DEMO: '1' });
  try {
    const [, address = '', name = '', password = ''] = /Sign in +(\S+)\n +Name +(\S+)\n +Password +(\S+)/.exec(portal.said) ?? [];
    expect(address).toBe(portal.url);
    expect(portal.setupLink).toBe('');

    await page.goto(address);
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('link', { name: 'Admin' })).toBeVisible();
    await page.goto(`${address}/calendar?zoom=week`);
    await expect(page.locator('#cal-scroll .bk').nth(10)).toBeAttached();
    await page.goto(`${address}/admin/groups`);
    await expect(page.getByText('Robotics (demo)').first()).toBeVisible();

    const said = execFileSync(join(root, 'scripts/demo'), ['--remove'], { env: portal.env }).toString();
    const link = /http:\S+\/setup#code=\S+/.exec(said)?.[0] ?? '';
    await page.goto(link);
    await expect(page.getByRole('button', { name: /administrator/i })).toBeVisible();
  } finally {
    await portal.stop();
  }
});
