import { buildPackage } from './package';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixture';

test.describe.configure({ mode: 'serial' });

/** Presses a key until an element has the focus. */
async function press(page: Page, key: string, element: Locator): Promise<void> {
  for (let i = 0; i < 40; i++) {
    if (await element.evaluate((found) => found === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  await expect(element).toBeFocused();
}

// It begins with a daemon that was never used.
test.use({ state: 'journey' });

test('guide_leads_from_the_first_call_to_a_denial_its_fix_and_its_proof', async ({ signedIn: page }) => {
  const started = Date.now();
  const guide = page.getByRole('region', { name: 'Start here' });
  await guide.getByRole('link', { name: /Open Add in the playground/ }).click();
  await page.getByLabel('step').fill('5');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Result', exact: true }).first()).toContainText('"count": 5');

  await page.goto('/home');
  await guide.getByRole('button', { name: 'Deny it once…' }).click();
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.getByRole('dialog').getByRole('button', { name: 'Deny and call' }).click();
  const why = page.getByRole('region', { name: 'Why it was denied' });
  await expect(why).toContainText('the capability profile does not include it');
  await why.getByRole('button', { name: 'Add to profile…' }).click();
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.getByRole('dialog').getByRole('button', { name: 'Add grant' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Grant added' })).toBeVisible();

  await page.goto('/home');
  await guide.getByRole('link', { name: 'Verify a receipt in this browser' }).click();
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect(page.getByText('Verified in this browser from the receipt alone.')).toBeVisible();
  expect(Date.now() - started).toBeLessThan(120_000);

  await page.goto('/playground/palyra.counter_wat.add');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Result', exact: true }).first()).toContainText('"count": 10');
  await page.goto('/home');
  await guide.getByRole('button', { name: 'Close the guide' }).click();
  await expect(guide).toBeHidden();
  await page.reload();
  await expect(page.getByRole('region', { name: 'Needs attention' })).toBeVisible();
  await expect(guide).toBeHidden();
});

test('run_replays_identically_and_its_receipt_verifies_in_the_browser', async ({ signedIn: page }) => {
  await page.goto('/runs');
  await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'palyra.counter_wat.add' }).first().click();
  await expect(page.getByRole('table', { name: 'Host calls in order' })).toContainText('storage.put');
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect(page.getByText('Verified in this browser from the receipt alone.')).toBeVisible();
  await page.getByRole('navigation', { name: 'Run' }).getByRole('link', { name: 'Replay' }).click();
  await page.getByRole('button', { name: 'Replay now' }).click();
  await expect(page.getByRole('heading', { name: 'Identical' })).toBeVisible();
  await page.getByRole('navigation', { name: 'Run' }).getByRole('link', { name: 'Input and output' }).click();
  await expect(page.getByRole('region', { name: 'Output' })).toContainText('"count": 10');
});

test('install_compares_the_key_and_grants_nothing_by_itself', async ({ signedIn: page, daemon }) => {
  const file = await buildPackage(daemon, { version: '1.0.0', counter: 1, description: 'Adds a step', capabilities: 'storage_prefixes = ["counter/"]\nstorage_quota_bytes = 4096' });
  await page.goto('/install');
  await page.getByLabel('Package file').setInputFiles(file);
  await expect(page.getByRole('heading', { name: 'Install Tally?' })).toBeVisible();
  const approve = page.getByRole('button', { name: 'Approve and install' });
  await expect(page.getByRole('link', { name: 'Don’t install' })).toBeFocused();
  await expect(approve).toBeDisabled();
  const pin = page.getByRole('checkbox', { name: /Pin the key of acme/ });
  await page.getByLabel('Fingerprint from another source').fill('ed25519:0000000000000000000000000000000000000000000000000000000000000000');
  await expect(page.getByText('Group 1 does not match. This is not the expected key.')).toBeVisible();
  await expect(pin).toBeDisabled();
  const keys = await daemon.api<{ keys: { key_id: string }[] }>('GET', '/v1/keys');
  await page.getByLabel('Fingerprint from another source').fill(keys.keys[0]?.key_id ?? '');
  await expect(page.getByText('All 8 groups match.')).toBeVisible();
  // From the choice that changes nothing, which has the focus first, to the installation, with the keyboard alone.
  await page.getByRole('link', { name: 'Don’t install' }).focus();
  await press(page, 'Shift+Tab', pin);
  await page.keyboard.press('Space');
  await expect(pin).toBeChecked();
  await press(page, 'Tab', approve);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/skills\/acme\.tally/);
  await expect(page.getByText('Active', { exact: true }).first()).toBeVisible();
});

test('approval_is_decided_with_the_keyboard_and_deny_has_the_focus', async ({ signedIn: page, daemon }) => {
  await daemon.api('POST', '/v1/hooks', { event: 'run:before_tool', plugin: 'palyra.tool_gate', tools: ['acme.tally.*'] });
  await daemon.api('PUT', '/v1/plugins/palyra.tool_gate/config', { values: { ask: 'acme.tally.*' } });
  const call = (step: number) => daemon.api<Record<string, unknown>>('POST', '/v1/tools/acme.tally.add/invoke', { input: { step }, wait_seconds: 60 });

  const denied = call(1);
  await expect(page.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link', { name: /Approvals 1/ })).toBeVisible();
  await expect(page.locator('[aria-live="assertive"]')).toHaveText('1 call needs your approval: acme.tally.add');
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await expect(page.getByRole('heading', { name: '1 call needs your approval' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Deny/ })).toBeFocused();
  await page.keyboard.press('d');
  // Each decision links to its journal entry.
  const entry = page.getByRole('status').filter({ hasText: 'Denied acme.tally.add' }).getByRole('link', { name: /^#\d/ });
  await expect(entry).toHaveAttribute('href', /^\/journal\/\d+$/);
  expect(await denied).toMatchObject({ code: expect.stringMatching(/denied|approval/) });

  const approved = call(2);
  await expect(page.getByRole('heading', { name: '1 call needs your approval' })).toBeVisible();
  await expect(page.getByRole('article')).toContainText('step');
  await expect(page.getByRole('button', { name: /^Approve once/ })).toBeEnabled();
  await page.keyboard.press('a');
  expect(await approved).toMatchObject({ result: { count: 2 } });

  // The next request is compared with the approved one, and Enter on it grants nothing.
  const third = call(3);
  await expect(page.getByText('changed', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Deny/ })).toBeFocused();
  await page.keyboard.press('Enter');
  expect(await third).not.toHaveProperty('result');
});

test('quarantine_then_update_diff_then_rollback', async ({ signedIn: page, daemon }) => {
  await page.goto('/skills/acme.tally');
  await page.getByRole('button', { name: 'Quarantine…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: 'Quarantine', exact: true })).toBeDisabled();
  await dialog.getByLabel(/Reason/).fill('looked at by a test');
  await dialog.getByRole('button', { name: 'Quarantine', exact: true }).click();
  await expect(page.getByText('Quarantined', { exact: true }).first()).toBeVisible();
  await page.getByRole('status').filter({ hasText: 'acme.tally is quarantined' }).getByRole('link').click();
  await expect(page).toHaveURL(/\/journal\/\d+$/);
  await expect(page.getByText('skill:quarantined').first()).toBeVisible();
  await page.goto('/skills/acme.tally');
  await page.getByRole('button', { name: 'Enable…' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Enable', exact: true }).click();
  await expect(page.getByText('Active', { exact: true }).first()).toBeVisible();

  const file = await buildPackage(daemon, {
    version: '1.1.0',
    counter: 2,
    description: 'Adds a step to the tally and returns it',
    capabilities: 'storage_prefixes = ["counter/"]\nstorage_quota_bytes = 65536\nhttp_egress_allowlist = ["api.acme.example"]',
  });
  await daemon.palyra('skills', 'update', file, '--yes').catch(() => 'it waits for a consent');
  await page.goto('/update/acme.tally');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tally 1.1.0 requests more permissions than 1.0.0');
  await expect(page.getByRole('link', { name: 'Keep 1.0.0' })).toBeFocused();
  await expect(page.getByRole('table', { name: /Changes between/ })).toContainText('Wider');
  await page.getByRole('button', { name: 'Approve 1.1.0' }).click();
  await expect(page).toHaveURL(/\/skills\/acme\.tally$/);
  await page.goto('/skills/acme.tally/versions');
  await page.getByRole('button', { name: 'Roll back…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back to 1.0.0' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'acme.tally is at 1.0.0' })).toBeVisible();
});

test('journal_verifies_and_a_proof_holds', async ({ signedIn: page }) => {
  await page.goto('/journal');
  await page.getByRole('button', { name: 'Verify all events' }).click();
  await expect(page.getByText('Every event is unchanged')).toBeVisible();
  await page.getByRole('table', { name: 'Events' }).getByRole('link').first().click();
  await page.getByRole('button', { name: 'Check proof' }).click();
  await expect(page.getByText(/hashes, verified/)).toBeVisible();
});
