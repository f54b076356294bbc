import type { Page } from '@playwright/test';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time of the thread, in microseconds: a busy machine makes tasks late, not longer. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Scrolls an element through its content under a trace of Chromium; returns the most DOM nodes, and the tasks of the page's main thread in milliseconds. */
export async function traceScroll(page: Page, label: string, direction: 'down' | 'up'): Promise<{ nodes: number; tasks: number[] }> {
  const browser = page.context().browser();
  if (!browser) throw new Error('the browser is gone');
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', '__metadata'] });
  const nodes = await page.getByLabel(label, { exact: true }).evaluate(async (element, step) => {
    if (step > 0) element.scrollTo(0, 0);
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    let most = 0;
    for (let i = 0; i < 120; i++) {
      element.scrollTop += step;
      await frame();
      most = Math.max(most, document.getElementsByTagName('*').length);
    }
    return most;
  }, direction === 'down' ? 700 : -700);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const main = new Set(traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(({ pid, tid }) => `${pid}/${tid}`));
  const tasks = traceEvents.filter(({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && main.has(`${pid}/${tid}`)).map(({ tdur = 0 }) => tdur / 1_000);
  if (tasks.length === 0) throw new Error('the trace has no tasks');
  return { nodes, tasks };
}
