import { expect, test } from './fixture';
import { buildPackage, install } from './package';

test.use({ state: 'decisions' });

const SECRETS = `http_egress_allowlist = ["api.acme.example"]

[[capabilities.secrets]]
scope = "global"
key_names = ["token"]
hosts = ["api.acme.example"]
inject = ["bearer", "header:x-api-key"]`;

test('card_says_where_and_how_a_secret_is_sent_and_single_keys_can_be_off', async ({ signedIn: page, daemon }) => {
  await install(daemon, await buildPackage(daemon, { version: '1.0.0', counter: 1, description: 'Adds a step', capabilities: SECRETS }), ['global/token']);
  await daemon.api('POST', '/v1/hooks', { event: 'run:before_tool', plugin: 'palyra.tool_gate', tools: ['acme.tally.*'] });
  await daemon.api('PUT', '/v1/plugins/palyra.tool_gate/config', { values: { ask: 'acme.tally.*' } });
  for (const step of [1, 2]) await daemon.api('POST', '/v1/tools/acme.tally.add/invoke', { input: { step } });

  await page.goto('/approvals');
  const card = page.getByRole('article');
  await expect(card).toContainText('Injected by the daemon as a bearer token or in the header x-api-key, for api.acme.example only; the skill never sees it.');
  await page.keyboard.press('j');
  await expect(page).toHaveURL(/\/approvals\/apr_/);
  await expect(page.getByRole('region', { name: 'Requests' }).getByRole('link').nth(1)).toHaveAttribute('aria-current', 'page');

  await page.goto('/settings');
  await page.getByRole('checkbox', { name: /Single-key shortcuts/ }).uncheck();
  await page.goto('/approvals');
  await expect(page.getByRole('button', { name: /^Approve once/ })).toBeEnabled();
  await page.keyboard.press('a');
  await page.keyboard.press('d');
  await expect(page.getByRole('heading', { name: '2 calls need your approval' })).toBeVisible();
  await page.getByRole('button', { name: /^Deny/ }).click();
  await expect(page.getByRole('heading', { name: '1 call needs your approval' })).toBeVisible();

  await page.goto('/skills/acme.tally/provenance');
  const history = page.getByRole('region', { name: 'Key history' });
  await expect(history).toContainText('Key pinned on first use');
  await expect(history.getByRole('link', { name: /^#\d/ })).toHaveAttribute('href', /^\/journal\/\d+$/);
});
