import { expect, test } from './fixture';
import { buildSpinning, install } from './package';

test.use({ state: 'live-run' });

test('meters_follow_a_run_in_progress_until_it_is_cancelled', async ({ signedIn: page, daemon }) => {
  await install(daemon, await buildSpinning(daemon));
  const call = daemon.api<{ run_id?: string; code?: string }>('POST', '/v1/tools/acme.tally.add/invoke', { input: { step: 1 } });
  await page.goto('/runs');
  await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'acme.tally.add' }).click();
  const fuel = page.getByRole('meter', { name: 'Fuel' });
  const used = async (): Promise<number> => Number(await fuel.getAttribute('aria-valuenow'));
  await expect.poll(used).toBeGreaterThan(0);
  const before = await used();
  await expect.poll(used).toBeGreaterThan(before);
  await expect(page.getByRole('meter', { name: 'Time' })).toHaveAttribute('aria-valuemax', '600000');

  await page.getByRole('button', { name: 'Stop everything' }).click();
  const dialog = page.getByRole('dialog', { name: 'Stop everything?' });
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await expect(dialog).toContainText('1 running call, with a receipt');
  await expect(dialog).toContainText('Installed skills, their data, permissions and settings');
  await dialog.getByRole('button', { name: 'Stop everything' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Runner disabled' }).getByRole('link', { name: /^#\d/ })).toBeVisible();
  expect(await call).toMatchObject({ code: 'cancelled' });
  await expect(page.getByText('Cancelled', { exact: true }).or(page.getByText('Failed', { exact: true })).first()).toBeVisible();
  // The receipt has the last word.
  expect(await used()).toBeGreaterThan(before);
});
