import { expect, test, watch } from './fixture';

test('code_works_once_and_never_stays_in_the_address', async ({ browser, page, context, daemon }) => {
  watch(page, context, daemon.url);
  const link = await daemon.link();
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page).not.toHaveURL(/code=/);
  const cookies = await context.cookies();
  expect(cookies).toHaveLength(1);
  expect(cookies[0]).toMatchObject({ httpOnly: true, sameSite: 'Strict' });

  const other = await browser.newContext();
  const stranger = await other.newPage();
  await stranger.goto(link);
  await expect(stranger.getByRole('heading', { name: 'Open the console with a one-time link' })).toBeVisible();
  await expect(stranger.getByText('No session was created.')).toBeVisible();
  await other.close();
});

test('sign_out_ends_every_tab', async ({ signedIn: page, context, daemon }) => {
  const second = await context.newPage();
  await second.goto(`${daemon.url}/runs`);
  await expect(second.getByRole('heading', { level: 1 })).toBeVisible();
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Open the console with a one-time link' })).toBeVisible();
  await expect(second.getByRole('heading', { name: 'Open the console with a one-time link' })).toBeVisible({ timeout: 30_000 });
});

test('revoked_session_loses_the_page', async ({ signedIn: page, daemon }) => {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const { sessions } = JSON.parse(await daemon.palyra('console', 'sessions', 'list', '--json')) as { sessions: { id: string }[] };
  for (const { id } of sessions) await daemon.palyra('console', 'sessions', 'revoke', id);
  await expect(page.getByRole('heading', { name: 'Open the console with a one-time link' })).toBeVisible({ timeout: 30_000 });
});

test('restart_of_the_daemon_keeps_typed_text_and_the_session', async ({ page, context, daemon }) => {
  watch(page, context, daemon.url);
  await page.goto(await daemon.link());
  await page.goto('/playground/palyra.counter_wat.add');
  await page.getByLabel('step').fill('41');
  await daemon.down();
  await expect(page.getByRole('alert').filter({ hasText: 'The daemon is not responding.' })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('button', { name: 'Call', exact: true })).toBeDisabled();
  await expect(page.getByLabel('step')).toHaveValue('41');
  await daemon.up();
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'The daemon is not responding.' })).toBeHidden({ timeout: 30_000 });
  await expect(page.getByLabel('step')).toHaveValue('41');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Result', exact: true }).first()).toContainText('"count"');
});
