import type { Page } from '@playwright/test';
import { expect, test } from './fixture';
import { buildSurface, install } from './package';
import { traceScroll } from './trace';

test.use({ state: 'large' });

const RUNS = 5_000;
const EVENTS = 10_000;
const PAGE = 200;
/** Height of a row in pixels. */
const ROW = 41;
const MOST_NODES = 3_000;

const runId = (i: number): string => `run_${String(RUNS - i).padStart(32, '0')}`;
const run = (i: number) => ({
  run_id: runId(i), skill_id: 'acme.large', tool_id: 'acme.large.call', payload: '0'.repeat(64), status: i % 7 === 0 ? 'failed' : 'completed',
  started_ms: 1_795_000_000_000 - i * 1_000, finished_ms: 1_795_000_000_100 - i * 1_000, receipt_leaf: i, principal: 'token:load', error: i % 7 === 0 ? 'timed_out' : null, tape: null,
});

// The daemons of these tests have no 5,000 runs and no run of 10,000 events; the answers are made here, the page is the real one.

test('list_of_5000_runs_scrolls_without_long_tasks', async ({ signedIn: page }) => {
  await page.route(/\/v1\/runs\?/, async (route) => {
    const before = new URL(route.request().url()).searchParams.get('before');
    const from = before ? RUNS - Number(before.slice(4)) + 1 : 0;
    const runs = Array.from({ length: Math.min(PAGE, RUNS - from) }, (_, i) => run(from + i));
    await route.fulfill({ json: { runs, next: from + PAGE < RUNS ? runs.at(-1)?.run_id : null } });
  });
  await page.goto('/runs');
  await expect(page.getByRole('table', { name: 'Runs' })).toContainText('acme.large.call');
  await loadAll(page, RUNS);
  await expect(page.getByText('5,000 loaded')).toBeVisible();
  await report('5,000 runs', page, 'Rows');
});

test('journal_of_10000_entries_scrolls_without_long_tasks', async ({ signedIn: page }) => {
  await page.route(/\/v1\/journal\?/, async (route) => {
    const before = Number(new URL(route.request().url()).searchParams.get('before') ?? EVENTS);
    const events = Array.from({ length: Math.min(PAGE, before) }, (_, i) => ({ sequence: before - 1 - i, at_ms: 1_795_000_000_000, kind: 'run:completed', actor: 'token:load', skill: 'acme.large', hash: '0'.repeat(64), details: {} }));
    await route.fulfill({ json: { events, head: { size: EVENTS, root: '0'.repeat(64) }, next_before: before > PAGE ? before - PAGE : null } });
  });
  await page.goto('/journal');
  await loadAll(page, EVENTS);
  await report('journal of 10,000 entries', page, 'Rows');
});

test('log_of_10000_lines_scrolls_without_long_tasks', async ({ signedIn: page }) => {
  await page.route(/\/v1\/runs\/run_\d+$/, (route) => route.fulfill({ json: { ...run(1), details: {} } }));
  await page.route(/\/v1\/runs\/run_\d+\/lines/, (route) =>
    route.fulfill({ json: { lines: Array.from({ length: EVENTS }, (_, i) => ({ number: i + 1, kind: 'log', text: `line ${i + 1} of a long log` })), next: null } }),
  );
  await page.goto(`/runs/${runId(1)}/log`);
  await expect(page.getByRole('log', { name: 'Log' })).toContainText('line 1 of a long log');
  await report('log of 10,000 lines', page, 'Log');
});

test('timeline_of_10000_host_calls_scrolls_without_long_tasks', async ({ signedIn: page }) => {
  const steps = Array.from({ length: EVENTS }, (_, i) => ({ number: i + 1, op: 'storage.get', subject: `key/${i}`, outcome: 'ok' }));
  await page.route(/\/v1\/runs\/run_\d+$/, (route) => route.fulfill({ json: { ...run(1), tape: '0'.repeat(64), details: {} } }));
  await page.route(/\/v1\/runs\/run_\d+\/steps/, async (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get('after') ?? 0);
    const part = steps.slice(after, after + 500);
    await route.fulfill({ json: { run_id: runId(1), outcome: 'ok', total: EVENTS, meters: [], steps: part, next: after + 500 < EVENTS ? after + 500 : null } });
  });
  await page.goto(`/runs/${runId(1)}`);
  await expect(page.getByRole('table', { name: 'Host calls in order' })).toContainText('key/0');
  await report('timeline of 10,000 host calls', page, 'Steps');
});

test('session_of_10000_events_scrolls_without_long_tasks', async ({ signedIn: page }) => {
  const session = { session_id: 'ses_large', title: 'Large', owner: 'owner', tools: [], budget: { turns: 9, tool_calls: 9, tokens: 9, wall_clock_ms: 9 }, labels: { private: false, untrusted: false }, archived: false, created_ms: 1, last_active_ms: 1, last_event: EVENTS };
  const events = Array.from({ length: EVENTS }, (_, i) => {
    const [at, call] = [{ number: i + 1, at_ms: i, run_id: `arun_${Math.floor(i / 4)}` }, { call_id: 'c', tool_id: 'acme.large.call' }];
    if (i % 4 === 0) return { ...at, event: 'message.completed', message_id: `m${i}`, role: 'user', text: `Question ${i}` };
    if (i % 4 === 1) return { ...at, ...call, event: 'tool.proposed', arguments: '{}' };
    if (i % 4 === 2) return { ...at, ...call, event: 'tool.finished', status: 'completed', output: '{"n":1}' };
    return { ...at, event: 'message.completed', message_id: `m${i}`, role: 'assistant', text: `Answer **${i}**` };
  });
  await page.route(/\/v1\/sessions\/ses_large/, async (route) => {
    const url = new URL(route.request().url());
    if (url.pathname.endsWith('/events')) return route.fulfill({ contentType: 'text/event-stream', body: ': open\n\n' });
    if (url.pathname.endsWith('/surfaces')) return route.fulfill({ json: { surfaces: [] } });
    if (url.pathname.endsWith('/runs')) return route.fulfill({ json: { runs: [] } });
    if (!url.pathname.endsWith('/history')) return route.fulfill({ json: session });
    const after = Number(url.searchParams.get('after') ?? 0);
    return route.fulfill({ json: { events: events.slice(after, after + 500), next: after + 500 < EVENTS ? after + 500 : null } });
  });
  await page.goto('/chat/ses_large');
  await expect(page.getByRole('log', { name: 'Messages' })).toContainText(`Answer ${EVENTS - 1}`);
  await report('session of 10,000 events', page, 'Messages', 'up');
});

test('surface_with_a_table_of_1000_rows_scrolls_without_long_tasks', async ({ signedIn: page, daemon }) => {
  const rows = Array.from({ length: 1_000 }, (_, i) => ({ n: i, name: `row ${i}` }));
  const document = { v: 1, surface: 'table', components: [{ id: 't', type: 'table', props: { columns: [{ key: 'n', label: 'N', type: 'number' }, { key: 'name', label: 'Name' }], rows } }] };
  await install(daemon, await buildSurface(daemon, { skill: 'table', name: 'Table', description: 'Shows a long table', document }));
  await page.goto('/playground/acme.table.show');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  const surface = page.getByRole('region', { name: 'Surface from acme.table' });
  await expect(surface).toContainText('1 to 25 of 1,000');
  await surface.getByRole('button', { name: 'N', exact: true }).click();
  await surface.getByRole('button', { name: 'N', exact: true }).click();
  await expect(surface).toContainText('row 999');
  expect(await page.locator('*').count()).toBeLessThan(MOST_NODES);
});

/** Scrolls to the end of a list until every page of it is loaded. */
async function loadAll(page: Page, rows: number): Promise<void> {
  await page.getByLabel('Rows', { exact: true }).evaluate(async (element, height) => {
    while (element.scrollHeight < height) {
      element.scrollTo(0, element.scrollHeight);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }, rows * ROW);
}

async function report(what: string, page: Page, label: string, direction: 'down' | 'up' = 'down'): Promise<void> {
  const { nodes, tasks } = await traceScroll(page, label, direction);
  const long = tasks.filter((ms) => ms > 50).map(Math.round);
  console.log(`${what}: at most ${nodes} nodes, longest task ${Math.round(Math.max(0, ...tasks))} ms`);
  expect(nodes).toBeLessThan(MOST_NODES);
  expect(long).toEqual([]);
}
