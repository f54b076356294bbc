import { expect, expectLoaded, test } from './fixture';

test.use({ state: 'speed' });

// Absolute times depend on the machine, so they are printed and not compared.
test('first_paint_and_latency_of_interactions_are_measured', async ({ signedIn: page }) => {
  await page.goto('/home');
  await expectLoaded(page);
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  await page.evaluate(() => {
    const seen: Record<number, number> = {};
    Object.assign(window, { interactions: seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { interactionId: number })[]) {
        if (entry.interactionId > 0) seen[entry.interactionId] = Math.max(seen[entry.interactionId] ?? 0, entry.duration);
      }
    }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  });
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox').pressSequentially('counter');
  await page.keyboard.press('Enter');
  await expectLoaded(page);
  for (const name of ['Runs', 'Installed', 'Journal', 'Home']) {
    await page.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link', { name }).first().click();
    await expectLoaded(page);
  }
  await page.getByRole('button', { name: 'Stop everything' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  const times = Object.values(await page.evaluate(() => (window as unknown as { interactions: Record<number, number> }).interactions)).sort((a, b) => a - b);
  expect(paint).toBeGreaterThan(0);
  expect(times.length).toBeGreaterThan(0);
  console.log(`first contentful paint ${Math.round(paint ?? 0)} ms; ${times.length} interactions of 16 ms or more, median ${times[Math.floor(times.length / 2)]} ms, longest ${times.at(-1)} ms`);
});
