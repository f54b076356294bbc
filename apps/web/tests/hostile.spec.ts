import { expect, test } from './fixture';
import { buildPackage } from './package';

const ATTACK = `"><img src=x onerror="window.owned=1"><script>window.owned=1</script><a href="javascript:window.owned=1">x</a>[y](javascript:window.owned=1)`;

test('hostile_text_of_a_skill_renders_inert_on_every_page_that_shows_it', async ({ signedIn: page, daemon }) => {
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const file = await buildPackage(daemon, {
    version: '1.0.0',
    counter: 1,
    name: '<b onclick=x>Tally</b>',
    summary: '<img src=x onerror="window.owned=1">',
    description: ATTACK,
    capabilities: 'storage_prefixes = ["counter/"]\nstorage_quota_bytes = 4096',
  });
  await page.goto('/install');
  await page.getByLabel('Package file').setInputFiles(file);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('<b onclick=x>Tally</b>');
  await page.getByRole('checkbox', { name: /Pin the key of acme/ }).check();
  await page.getByRole('button', { name: 'Approve and install' }).click();
  await expect(page).toHaveURL(/\/skills\/acme\.tally/);
  // What a caller sends is shown as it was sent, also in errors.
  await daemon.api('POST', '/v1/tools/acme.tally.add/invoke', { input: { step: 1, [ATTACK]: ATTACK } });
  await daemon.api('POST', '/v1/tools/acme.tally.add/invoke', { input: { step: 1 } });
  await daemon.api('POST', '/v1/skills/acme.tally/quarantine', { reason: ATTACK });

  for (const path of ['home', 'skills', 'skills/acme.tally', 'skills/acme.tally/tools', 'skills/acme.tally/audit', 'playground/acme.tally.add', 'runs', 'journal', 'publishers/acme']) {
    await page.goto(`/${path}`);
    await expect(page.locator('#view').getByRole('heading', { level: 1 }).first()).toBeAttached();
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
    const found = await page.evaluate(() => ({
      owned: 'owned' in window,
      elements: document.querySelectorAll('#view script, #view iframe, #view img, #view [onerror], #view [onclick], #view a[href^="javascript"]').length,
    }));
    expect({ path, ...found }).toEqual({ path, owned: false, elements: 0 });
  }
  expect(dialogs).toEqual([]);
});
