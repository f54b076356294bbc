import type { Page } from '@playwright/test';
import { AxeBuilder, expect, expectLoaded, openBrowser, test } from './fixture';
import { seed, type Seeded } from './seed';

test.use({ state: 'screens' });

let seeded: Seeded;
test.beforeAll(async ({ daemon }) => {
  seeded = await seed(daemon);
});

const screens = (): Record<string, string> => ({
  home: 'home', chat: `chat/${seeded.session}`, approvals: `approvals/${seeded.approval}`, runs: 'runs', playground: 'playground/palyra.counter_wat.add',
  'run-timeline': `runs/${seeded.completed}`, 'run-io': `runs/${seeded.completed}/io`, 'run-grants': `runs/${seeded.completed}/grants`, 'run-log': `runs/${seeded.completed}/log`,
  'run-replay': `runs/${seeded.completed}/replay`, 'run-denied': `runs/${seeded.denied}`,
  skills: 'skills', skill: 'skills/acme.tally', 'skill-tools': 'skills/acme.tally/tools', 'skill-permissions': 'skills/acme.tally/permissions',
  'skill-provenance': 'skills/acme.tally/provenance', 'skill-audit': 'skills/acme.tally/audit', 'skill-versions': 'skills/acme.tally/versions',
  'skill-quarantined': 'skills/palyra.wordcount_c/audit', update: 'update/acme.tally', consent: 'update/palyra.echo_http', install: 'install', publishers: 'publishers',
  publisher: 'publishers/acme', hooks: 'hooks', routines: 'routines', channels: 'channels', journal: 'journal', 'journal-entry': 'journal/3', policy: 'policy', vault: 'vault',
  tokens: 'tokens', doctor: 'doctor', settings: 'settings', missing: 'no/such/page',
});

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
  { width: 320, height: 844 },
];

for (const theme of ['light', 'dark'] as const) {
  for (const viewport of SIZES) {
    test(`screens_${theme}_${viewport.width}`, async ({ browser, daemon }) => {
      test.slow();
      const { page, problems } = await openBrowser(browser, daemon, { viewport, colorScheme: theme, reducedMotion: 'reduce' });
      for (const [name, path] of Object.entries(screens())) {
        await page.goto(`/${path}`);
        await expectLoaded(page);
        const over = await overflow(page);
        if (over > 0) problems.push(`${name}: ${over} px wider than the screen`);
        await page.screenshot({ path: `test-results/screens/${name}.${theme}.${viewport.width}.png` });
        for (const violation of await new AxeBuilder(page).violations()) problems.push(`${name}: ${violation}`);
      }
      await page.context().close();
      expect(problems).toEqual([]);
    });
  }
}

// 1440 × 900 at 200 %: half as many CSS pixels, each of them four on the screen.
test('decisions_stay_in_view_at_200_percent', async ({ browser, daemon }) => {
  const { page, problems } = await openBrowser(browser, daemon, { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 });
  for (const [name, path] of Object.entries(screens())) {
    await page.goto(`/${path}`);
    await expectLoaded(page);
    const over = await overflow(page);
    if (over > 0) problems.push(`${name}: ${over} px wider than the screen`);
  }
  for (const [path, button] of [[`approvals/${seeded.approval}`, /^Deny/], ['update/acme.tally', /^Approve 1\.1\.0/]] as const) {
    await page.goto(`/${path}`);
    await expect(page.getByRole('button', { name: button })).toBeInViewport({ ratio: 1 });
  }
  await page.context().close();
  expect(problems).toEqual([]);
});

for (const reducedMotion of ['reduce', 'no-preference'] as const) {
  test(`motion_with_the_preference_${reducedMotion}`, async ({ browser, daemon }) => {
    const { page } = await openBrowser(browser, daemon, { reducedMotion });
    // Counts what moves in the moment in which a dialog appears, as the page itself sees it.
    const moved = await page.evaluate(async () => {
      let most = 0;
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      [...document.querySelectorAll('button')].find(({ title }) => title === 'Stop everything')?.click();
      for (let i = 0; i < 20 && most === 0; i++) {
        await frame();
        most = document.getAnimations().length;
      }
      return most;
    });
    await expect(page.getByRole('dialog')).toBeVisible();
    if (reducedMotion === 'reduce') expect(moved).toBe(0);
    else expect(moved).toBeGreaterThan(0);
    await page.context().close();
  });
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const view = document.getElementById('view');
    return Math.max(document.documentElement.scrollWidth - innerWidth, view ? view.scrollWidth - view.clientWidth : 0);
  });
