import { AxeBuilder } from './axe';
import { type Browser, type BrowserContext, type BrowserContextOptions, expect, type Locator, type Page, test as base } from '@playwright/test';
import { Daemon } from './daemon';
import { serveLocalBuild } from './local-build';

interface Fixtures {
  /** What must never happen, on any page of the test's context; the test fails if this is not empty at its end. */
  problems: string[];
  /** A page with a console session. */
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
  problems: [
    async ({ context, daemon }, use) => {
      const problems = await prepare(context, daemon);
      await use(problems);
      expect(problems).toEqual([]);
    },
    { auto: true },
  ],
  signedIn: async ({ page, daemon }, use) => {
    await signIn(page, daemon);
    await use(page);
  },
});

/** Opens a one-time link in a page. */
export async function signIn(page: Page, daemon: Daemon): Promise<void> {
  await page.goto(await daemon.link());
  await expect(page.locator('#view')).toBeVisible();
}

/** Another browser, with a session of its own; returns what must never happen in it. */
export async function openBrowser(browser: Browser, daemon: Daemon, options: BrowserContextOptions): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext({ baseURL: daemon.url, ...options });
  const problems = await prepare(context, daemon);
  const page = await context.newPage();
  await signIn(page, daemon);
  return { page, problems };
}

/** Collects console errors (a report of the CSP is one), exceptions, and requests to another origin. */
async function prepare(context: BrowserContext, daemon: Daemon): Promise<string[]> {
  const problems: string[] = [];
  context.on('console', (message) => {
    // The browser reports each response with 4xx or 5xx, and tests cause some.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) problems.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => problems.push(`error: ${error.error().message}`));
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== daemon.url && !['data:', 'blob:'].includes(url.protocol)) problems.push(`request: ${request.url()}`);
  });
  await serveLocalBuild(context, daemon.url);
  return problems;
}

export const offlineBar = (page: Page): Locator => page.getByRole('alert').filter({ hasText: 'The daemon is not responding.' });

/** Waits until a page has its daemon again, which was started before. */
export async function expectReconnected(page: Page): Promise<void> {
  // The page may have connected again by itself.
  await page.getByRole('button', { name: 'Retry' }).click({ timeout: 2_000 }).catch(() => undefined);
  await expect(offlineBar(page)).toBeHidden();
}

/** Waits until a page shows its content: no skeleton, and a title. */
export async function expectLoaded(page: Page): Promise<void> {
  await expect(page.locator('#view').getByRole('heading', { level: 1 }).first()).toBeAttached();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

export { AxeBuilder, expect };
