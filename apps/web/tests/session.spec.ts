import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, expectReconnected, offlineBar, openBrowser, test } from './fixture';

test.use({ state: 'session' });

const signInPage = (page: Page) => page.getByRole('heading', { name: 'Open the console with a one-time link' });

test('code_works_once_and_never_stays_in_the_address', async ({ browser, page, context, daemon }) => {
  const link = await daemon.link();
  await page.goto(link);
  await expect(page.getByRole('navigation', { name: 'Main', exact: true })).toBeVisible();
  await expect(page).not.toHaveURL(/code=/);
  const cookies = await context.cookies();
  expect(cookies).toHaveLength(1);
  expect(cookies[0]).toMatchObject({ httpOnly: true, sameSite: 'Strict' });

  const other = await browser.newContext();
  const stranger = await other.newPage();
  await stranger.goto(link);
  await expect(signInPage(stranger)).toBeVisible();
  await expect(stranger.getByText('No session was created.')).toBeVisible();
  await other.close();
});

test('sign_out_ends_every_tab', async ({ signedIn: page, context, daemon }) => {
  const second = await context.newPage();
  await second.goto(`${daemon.url}/runs`);
  await expect(second.getByRole('heading', { level: 1 })).toBeVisible();
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(signInPage(page)).toBeVisible();
  await expect(signInPage(second)).toBeVisible();
});

test('revoked_session_loses_the_page_and_no_other_does', async ({ signedIn: page, browser, daemon }) => {
  const { page: other, problems } = await openBrowser(browser, daemon, {});
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Revoke' }).first().click();
  await expect(page.getByRole('status').filter({ hasText: 'Session revoked' })).toBeVisible();
  await expect(signInPage(other)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  expect(problems).toEqual([]);
  await other.context().close();
});

for (const [what, change] of [
  ['idle', { used_ms: 8 }],
  ['absolute', { signed_in_ms: 24 }],
] as const) {
  test(`session_past_its_${what}_end_asks_to_sign_in_and_returns_to_the_page`, async ({ signedIn: page, daemon }) => {
    await page.goto('/playground/palyra.counter_wat.add');
    await page.getByLabel('step').fill('17');
    await daemon.down();
    const file = join(daemon.root, 'run/console-sessions.json');
    const sessions = JSON.parse(await readFile(file, 'utf8')) as Record<string, number>[];
    for (const session of sessions) for (const [name, hours] of Object.entries(change)) session[name] = Date.now() - hours * 3_600_000;
    await writeFile(file, JSON.stringify(sessions));
    await daemon.up();
    await expect(signInPage(page)).toBeVisible({ timeout: 30_000 });
    await page.getByLabel('Link or code').fill(await daemon.link());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page).toHaveURL(/\/playground\/palyra\.counter_wat\.add$/);
    await expect(page.getByLabel('step')).toHaveValue('17');
  });
}

test('page_of_another_origin_can_do_nothing_with_the_session', async ({ signedIn: page, daemon, problems }) => {
  // A page on another port of the same host gets the cookie of the session sent along, so only the origin tells it apart.
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Other</title>'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
  const refused = async (): Promise<number> =>
    (await daemon.api<{ events: unknown[] }>('GET', '/v1/journal?kinds=access:refused&limit=1000')).events.length;
  const before = await refused();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const outcomes = await page.evaluate(async (url) => {
    const attempts: RequestInit[] = [
      { method: 'POST', body: '{"enabled":false}' },
      { method: 'POST', mode: 'no-cors', body: '{}', headers: { 'content-type': 'text/plain' } },
      { method: 'GET' },
    ];
    const seen: string[] = [];
    for (const attempt of attempts) {
      for (const path of ['/v1/tools/palyra.counter_wat.add/invoke', '/v1/runs', '/console/sessions']) {
        seen.push(await fetch(url + path, { credentials: 'include', ...attempt }).then(({ type }) => type, () => 'failed'));
      }
    }
    return seen;
  }, daemon.url);
  expect(outcomes.every((outcome) => outcome === 'failed' || outcome === 'opaque')).toBe(true);
  server.close();
  expect(await refused()).toBeGreaterThan(before);
  expect((await daemon.api<{ runs: unknown[] }>('GET', '/v1/runs?tool=palyra.counter_wat.add')).runs).toEqual([]);
  await page.goto(daemon.url);
  await expect(page.getByRole('navigation', { name: 'Main', exact: true })).toBeVisible();
  // The other page and its requests are what this test is about.
  problems.length = 0;
});

test('restart_of_the_daemon_keeps_typed_text_and_the_session', async ({ signedIn: page, daemon }) => {
  await page.goto('/playground/palyra.counter_wat.add');
  await page.getByLabel('step').fill('41');
  await daemon.down();
  await expect(offlineBar(page)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Call', exact: true })).toBeDisabled();
  await expect(page.getByLabel('step')).toHaveValue('41');
  await daemon.up();
  await expectReconnected(page);
  await expect(page.getByLabel('step')).toHaveValue('41');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Result', exact: true }).first()).toContainText('"count"');
});

test('page_without_a_network_shows_its_last_data_and_catches_up', async ({ signedIn: page, context, daemon }) => {
  await page.goto('/runs');
  await daemon.api('POST', '/v1/tools/palyra.counter_wat.add/invoke', { input: { step: 1 } });
  const { runs } = await daemon.api<{ runs: unknown[] }>('GET', '/v1/runs?tool=palyra.counter_wat.add');
  const rows = page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'palyra.counter_wat.add' });
  // The daemon knows how many there are: the page may still be loading them.
  await expect(rows).toHaveCount(runs.length);
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Stop everything' }).click();
  await expect(offlineBar(page)).toBeVisible();
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Stop everything' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await expect(rows).toHaveCount(runs.length);
  await daemon.api('POST', '/v1/tools/palyra.counter_wat.add/invoke', { input: { step: 1 } });
  await context.setOffline(false);
  // Without a click: the browser says that the network is back.
  await expect(offlineBar(page)).toBeHidden();
  await expect(rows).toHaveCount(runs.length + 1);
});
