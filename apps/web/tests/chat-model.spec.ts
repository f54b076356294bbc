import { expect, expectReconnected, offlineBar, test } from './fixture';
import { Model } from './model';

test.use({ state: 'chat-model' });

let model: Model;
test.beforeAll(async ({ daemon }) => {
  model = await Model.start(daemon);
});
test.afterAll(() => model.stop());

test.beforeEach(async ({ signedIn: page }) => {
  await page.goto('/chat');
  await page.getByRole('button', { name: 'New session' }).first().click();
  await expect(page).toHaveURL(/\/chat\/ses_/);
});

test('text_streams_and_a_stop_keeps_what_was_written', async ({ signedIn: page }) => {
  let release = (): void => undefined;
  model.next({ pieces: ['The first **part**', ' and the rest.'], until: new Promise<void>((done) => (release = done)) });
  await page.getByRole('textbox', { name: 'Message' }).fill('Tell me something');
  await page.keyboard.press('Enter');
  // Text that is being written is not parsed.
  await expect(page.getByRole('log')).toContainText('The first **part**');
  await expect(page.getByRole('button', { name: 'Send' })).toBeDisabled();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(page.getByRole('log')).toContainText('The run ended: cancelled.');
  release();
  model.next({ pieces: ['All of **it**.'] });
  await page.getByRole('textbox', { name: 'Message' }).fill('Again');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('log').locator('strong').filter({ hasText: /^it$/ })).toBeVisible();
});

test('model_calls_a_tool_and_its_answer_follows_the_card', async ({ signedIn: page }) => {
  model.next({ calls: [{ name: 'palyra__counter_wat__add', arguments: { step: 5 } }] }, { pieces: ['The counter is at 5.'] });
  await page.getByRole('textbox', { name: 'Message' }).fill('Count five');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('log')).toContainText('The counter is at 5.');
  const card = page.getByRole('log').getByRole('group').filter({ hasText: 'palyra.counter_wat.add' });
  await expect(card).toContainText('Completed');
  await expect(card).not.toHaveAttribute('open');
  await expect(page.getByRole('complementary', { name: 'This run' })).toContainText('palyra.counter_wat');
});

test('hostile_markdown_of_a_model_is_inert', async ({ signedIn: page }) => {
  const text = '<img src=x onerror="window.owned=1"> [go](javascript:window.owned=1) ![p](https://evil.test/p.png) <script>window.owned=1</script> [ok](https://example.com/)';
  model.next({ pieces: [text] });
  await page.getByRole('textbox', { name: 'Message' }).fill('Attack');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('log').getByRole('link', { name: /ok/ })).toHaveAttribute('rel', /noopener/);
  expect(await page.evaluate(() => 'owned' in window)).toBe(false);
  await expect(page.getByRole('log').locator('img, script, a[href^="javascript"]')).toHaveCount(0);
});

test('restart_of_the_daemon_in_the_middle_of_an_answer_loses_nothing', async ({ signedIn: page, daemon }) => {
  let release = (): void => undefined;
  model.next({ pieces: ['It begins', ' and breaks off.'], until: new Promise<void>((done) => (release = done)) });
  await page.getByRole('textbox', { name: 'Message' }).fill('A long question');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('log')).toContainText('It begins');
  await page.getByRole('textbox', { name: 'Message' }).fill('The next question');
  const requests = model.requests.length;
  model.next({ pieces: ['It begins', ' and now it ends.'] });
  await daemon.down();
  release();
  await expect(offlineBar(page)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send' })).toBeDisabled();
  await daemon.up();
  await expectReconnected(page);
  await expect(page.getByRole('log')).toContainText('It begins and now it ends.');
  await expect(page.getByRole('log')).not.toContainText('breaks off');
  expect(model.requests.length).toBe(requests + 1);
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('The next question');
  model.next({ pieces: ['The next answer.'] });
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  await expect(page.getByRole('log')).toContainText('The next answer.');
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('');
});
