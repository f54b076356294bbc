import { AxeBuilder, expect, test } from './fixture';

const SCREENS = [
  'home', 'approvals', 'runs', 'playground/palyra.counter_wat.add', 'skills', 'skills/palyra.echo_http', 'skills/palyra.echo_http/tools',
  'skills/palyra.echo_http/permissions', 'skills/palyra.echo_http/provenance', 'skills/palyra.echo_http/audit', 'skills/palyra.echo_http/versions',
  'update/palyra.echo_http', 'install', 'publishers', 'hooks', 'routines', 'channels', 'journal', 'journal/3', 'policy', 'vault', 'tokens',
  'doctor', 'settings', 'no/such/page',
];

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1440, 390, 320]) {
    test(`screens_${theme}_${width}`, async ({ browser, daemon }) => {
      const context = await browser.newContext({ viewport: { width, height: width === 1440 ? 900 : 844 }, colorScheme: theme, reducedMotion: 'reduce', baseURL: daemon.url });
      const page = await context.newPage();
      await page.goto(await daemon.link());
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeAttached();
      const { run_id } = await daemon.api<{ run_id: string }>('POST', '/v1/tools/palyra.counter_wat.add/invoke', { input: { step: 1 } });
      const problems: string[] = [];
      for (const path of [...SCREENS, `runs/${run_id}`, `runs/${run_id}/io`, `runs/${run_id}/grants`, `runs/${run_id}/log`]) {
        await page.goto(`${daemon.url}/${path}`);
        await expect(page.locator('#view').getByRole('heading', { level: 1 }).first()).toBeAttached();
        await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
        const over = await page.evaluate(() => {
          const view = document.getElementById('view');
          return Math.max(document.documentElement.scrollWidth - innerWidth, view ? view.scrollWidth - view.clientWidth : 0);
        });
        if (over > 0) problems.push(`${path}: ${over} px wider than the screen`);
        const name = path.replaceAll('/', '-').replace(run_id, 'run');
        await page.screenshot({ path: `test-results/screens/${name}.${theme}.${width}.png` });
        for (const violation of await new AxeBuilder(page).violations()) problems.push(`${path}: ${violation}`);
      }
      await context.close();
      expect(problems).toEqual([]);
    });
  }
}
