import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BrowserContext } from '@playwright/test';

/** A build of the page that is tested instead of the one in the daemon, so that a change of the page needs no new program. */
const DIST = process.env.PALYRA_CONSOLE_DIST;

/** Answers requests for files of the page from `PALYRA_CONSOLE_DIST`, with the headers of the daemon. */
export async function serveLocalBuild(context: BrowserContext, origin: string): Promise<void> {
  if (DIST === undefined) return;
  const root = resolve(DIST);
  const { headers } = await fetch(origin);
  const policy = headers.get('content-security-policy') ?? '';
  if (!policy.includes('script-src')) throw new Error('this daemon was built without the console, so it does not send the policy of its page');
  await context.route(
    (url) => url.origin === origin && !/^\/(v1|mcp|console)(\/|$)/.test(url.pathname),
    (route) => {
      const path = join(root, new URL(route.request().url()).pathname);
      const isFile = path.startsWith(root) && existsSync(path) && statSync(path).isFile();
      return route.fulfill(isFile ? { path } : { path: join(root, 'index.html'), headers: { 'content-type': 'text/html', 'content-security-policy': policy } });
    },
  );
}
