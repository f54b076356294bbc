import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** Runs axe with the rules of WCAG 2.2 AA. The script is added by the browser's tools, past the policy of the page. */
export class AxeBuilder {
  constructor(private readonly page: Page) {}

  async violations(): Promise<string[]> {
    const session = await this.page.context().newCDPSession(this.page);
    await session.send('Runtime.evaluate', { expression: source });
    const { result } = await session.send('Runtime.evaluate', {
      expression: `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations }) => JSON.stringify(violations))`,
      awaitPromise: true,
      returnByValue: true,
    });
    await session.detach();
    const found = JSON.parse(String(result.value)) as Violation[];
    return found.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary.replace(/\s+/g, ' ').slice(0, 200)}`));
  }
}
