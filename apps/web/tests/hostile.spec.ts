import { expect, expectLoaded, test } from './fixture';
import { buildPackage, buildSurface, install } from './package';

test.use({ state: 'hostile' });

const ATTACK = `"><img src=x onerror="window.owned=1"><script>window.owned=1</script><a href="javascript:window.owned=1">x</a>[y](javascript:window.owned=1)`;
/** The daemon rejects markdown with other links and with images; HTML is text to it. */
const LINKS = '<a href="javascript:window.owned=1">a</a> <img src=x onerror="window.owned=1"> <iframe src="https://evil.test"></iframe> [ok](https://example.com/)';

/** A document whose every text is an attack, as far as the daemon accepts it. */
const DOCUMENT = {
  v: 1,
  surface: 'attack',
  components: [
    { id: 'text', type: 'text', props: { value: ATTACK, tone: 'critical' } },
    { id: 'markdown', type: 'markdown', props: { value: LINKS } },
    { id: 'list', type: 'list', props: { items: [ATTACK, { label: ATTACK, detail: ATTACK, value: ATTACK }] } },
    { id: 'table', type: 'table', props: { caption: ATTACK, columns: [{ key: 'x', label: ATTACK }], rows: [{ x: ATTACK }] } },
    { id: 'chart', type: 'chart', props: { kind: 'bar', title: ATTACK, units: ATTACK, x: { values: [ATTACK], label: ATTACK }, series: [{ name: ATTACK, values: [1] }] } },
    // It looks like an approval of the host, but it is a form in the frame of the skill.
    { id: 'form', type: 'form', props: { title: 'Palyra: approve this call?', submit_label: 'Approve', fields: [{ name: 'f', type: 'select', label: ATTACK, hint: ATTACK, options: [ATTACK] }] } },
    { id: 'unknown', type: 'approval', props: { html: ATTACK } },
  ],
};

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
  await install(daemon, await buildSurface(daemon, { skill: 'attack', name: ATTACK.slice(0, 60), description: ATTACK, document: DOCUMENT }));
  // What a caller sends is shown as it was sent, also in errors.
  await daemon.api('POST', '/v1/tools/acme.tally.add/invoke', { input: { step: 1, [ATTACK]: ATTACK } });
  await daemon.api('POST', '/v1/tools/acme.tally.add/invoke', { input: { step: 1 } });
  const { run_id } = await daemon.api<{ run_id: string }>('POST', '/v1/tools/acme.attack.show/invoke', { input: { [ATTACK]: ATTACK } });
  const { session_id } = await daemon.api<{ session_id: string }>('POST', '/v1/sessions', { title: ATTACK.slice(0, 80) });
  await daemon.api('POST', `/v1/sessions/${session_id}/messages`, { text: ATTACK });
  await daemon.api('POST', '/v1/skills/acme.tally/quarantine', { reason: ATTACK });

  const pages = [
    'home', `chat/${session_id}`, 'skills', 'skills/acme.tally', 'skills/acme.tally/tools', 'skills/acme.tally/audit', 'skills/acme.attack', 'skills/acme.attack/tools', 'playground/acme.tally.add',
    'runs', `runs/${run_id}`, `runs/${run_id}/io`, `runs/${run_id}/log`, 'journal', 'publishers/acme',
  ];
  for (const path of pages) {
    await page.goto(`/${path}`);
    await expectLoaded(page);
    const found = await page.evaluate(() => ({
      owned: 'owned' in window,
      elements: document.querySelectorAll('#view script, #view iframe, #view img, #view [onerror], #view [onclick], #view a[href^="javascript"], #view a[href^="data"]').length,
    }));
    expect({ path, ...found }).toEqual({ path, owned: false, elements: 0 });
  }
  expect(dialogs).toEqual([]);
});

test('surface_cannot_imitate_the_frame_of_the_host', async ({ signedIn: page }) => {
  await page.goto('/playground/acme.attack.show');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  const surface = page.getByRole('region', { name: 'Surface from acme.attack' });
  const form = surface.getByRole('form', { name: 'Palyra: approve this call?' });
  await expect(form).toBeVisible();
  await expect(surface).toContainText('Palyra never requests approval inside a surface.');
  await expect(surface).toContainText('Unsupported component type approval');
  // The seal and the header are the host's; nothing of the document is in them, and nothing of it is outside of its area.
  await expect(surface.locator('.seal')).toHaveCount(1);
  await expect(surface.locator('header')).not.toContainText('window.owned');
  await expect(surface.locator('.bg-guest .seal')).toHaveCount(0);
  // A form without a tool sends nothing outside of a session.
  await form.getByRole('combobox').selectOption({ index: 1 });
  await form.getByRole('button', { name: 'Approve' }).click();
  await expect(surface.getByRole('alert')).toContainText('it can be submitted in a session only');
  expect(await page.evaluate(() => 'owned' in window)).toBe(false);
});
