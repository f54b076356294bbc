import { AxeBuilder } from './axe';
import { type BrowserContext, expect, type Page, test as base } from '@playwright/test';
import { Daemon } from './daemon';

interface Fixtures {
  /** A page that fails the test for every console error, CSP report and request to another origin. */
  signedIn: Page;
}

interface WorkerFixtures {
  /** Files with different values never share a daemon; those without one do. */
  state: string;
  daemon: Daemon;
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  state: ['shared', { scope: 'worker', option: true }],
  daemon: [
    // Playwright starts another worker, and with it another daemon, for another value of `state`.
    async ({ state }, use) => {
      void state;
      const daemon = await Daemon.start();
      await use(daemon);
      await daemon.remove();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ daemon }, use) => use(daemon.url),
  signedIn: async ({ page, context, daemon }, use) => {
    const problems = watch(page, context, daemon.url);
    await page.goto(await daemon.link());
    await expect(page.getByRole('navigation', { name: 'Main', exact: true })).toBeVisible();
    await use(page);
    expect(problems).toEqual([]);
  },
});

/** Collects what must never happen on any page. Failed requests of the test itself are answered with 4xx and 5xx. */
export function watch(page: Page, context: BrowserContext, origin: string): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && !['data:', 'blob:'].includes(url.protocol)) problems.push(`request: ${request.url()}`);
  });
  return problems;
}

export { AxeBuilder, expect };
