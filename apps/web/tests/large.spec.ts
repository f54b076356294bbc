import type { Page } from '@playwright/test';
import { expect, test } from './fixture';

const RUNS = 5_000;
const LINES = 10_000;
const PAGE = 200;

const runId = (i: number): string => `run_${String(RUNS - i).padStart(32, '0')}`;
const run = (i: number) => ({
  run_id: runId(i), skill_id: 'acme.large', tool_id: 'acme.large.call', payload: '0'.repeat(64), status: i % 7 === 0 ? 'failed' : 'completed',
  started_ms: 1_795_000_000_000 - i * 1_000, finished_ms: 1_795_000_000_100 - i * 1_000, receipt_leaf: i, principal: 'token:load', error: i % 7 === 0 ? 'timed_out' : null, tape: null,
});

/** Scrolls an element to its end in steps, and returns the most DOM nodes and the tasks over 50 ms. */
async function scroll(page: Page, label: string): Promise<{ nodes: number; long: number[] }> {
  return page.getByLabel(label, { exact: true }).evaluate(async (element) => {
    const long: number[] = [];
    const observer = new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration)));
    observer.observe({ type: 'longtask' });
    let nodes = 0;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let step = 0; step < 120; step++) {
      element.scrollTop += 700;
      await frame();
      nodes = Math.max(nodes, document.getElementsByTagName('*').length);
    }
    observer.disconnect();
    return { nodes, long };
  });
}

test('long_lists_keep_a_bounded_number_of_nodes', async ({ signedIn: page }) => {
  // The daemon of this test has no 5,000 runs; only the answers are made here, the page is the real one.
  await page.route(/\/v1\/runs\?/, async (route) => {
    const before = new URL(route.request().url()).searchParams.get('before');
    const from = before ? RUNS - Number(before.slice(4)) + 1 : 0;
    const runs = Array.from({ length: Math.min(PAGE, RUNS - from) }, (_, i) => run(from + i));
    await route.fulfill({ json: { runs, next: from + PAGE < RUNS ? runs.at(-1)?.run_id : null } });
  });
  await page.goto('/runs');
  await expect(page.getByRole('table', { name: 'Runs' })).toContainText('acme.large.call');
  const runs = await scroll(page, 'Rows');
  console.log(`runs: at most ${runs.nodes} nodes, tasks over 50 ms: ${runs.long.map(Math.round).join(', ') || 'none'}`);
  expect(runs.nodes).toBeLessThan(2_500);

  await page.route(/\/v1\/runs\/run_\d+$/, (route) => route.fulfill({ json: { ...run(1), details: {} } }));
  await page.route(/\/v1\/runs\/run_\d+\/lines/, (route) =>
    route.fulfill({ json: { lines: Array.from({ length: LINES }, (_, i) => ({ number: i + 1, kind: 'log', text: `line ${i + 1} of a long log` })), next: null } }),
  );
  await page.goto(`/runs/${runId(1)}/log`);
  await expect(page.getByRole('log', { name: 'Log' })).toContainText('line 1 of a long log');
  const lines = await scroll(page, 'Log');
  console.log(`log: at most ${lines.nodes} nodes, tasks over 50 ms: ${lines.long.map(Math.round).join(', ') || 'none'}`);
  expect(lines.nodes).toBeLessThan(2_500);
});
