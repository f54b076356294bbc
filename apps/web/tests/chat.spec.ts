import type { Page } from '@playwright/test';
import { AxeBuilder, expect, test } from './fixture';
import { buildSurface, install } from './package';

test.use({ state: 'chat' });

const messages = (page: Page) => page.getByRole('log', { name: 'Messages' });
const dock = (page: Page) => page.getByRole('region', { name: 'Waiting for you' });
const card = (page: Page, tool: string) => messages(page).getByRole('group').filter({ hasText: tool });

/** Begins a session from the list, with the keyboard alone, and says something in it. */
async function say(page: Page, text: string): Promise<void> {
  await page.goto('/chat');
  await page.getByRole('button', { name: 'New session' }).first().focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/chat\/ses_/);
  await page.getByRole('textbox', { name: 'Message' }).focus();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(text);
}

test('form_of_the_router_is_checked_by_a_person_and_calls_the_tool', async ({ signedIn: page }) => {
  await say(page, 'add 7 to the counter');
  await expect(dock(page)).toContainText('A form waits for your input');
  const form = page.getByRole('form', { name: 'Add' });
  await expect(form).toBeVisible();
  await dock(page).getByRole('button', { name: 'Go to form' }).focus();
  await page.keyboard.press('Enter');
  await expect(form.getByLabel('step')).toBeFocused();
  await expect(form.getByLabel('step')).toHaveValue('7');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('8');
  await page.keyboard.press('Enter');
  await expect(card(page, 'palyra.counter_wat.add')).toContainText('Completed');
  await expect(card(page, 'palyra.counter_wat.add')).toHaveCount(1);
  await expect(card(page, 'palyra.counter_wat.add').getByRole('region', { name: 'Output' })).toContainText('"count": 8');
  await expect(dock(page)).toBeHidden();
  expect(await new AxeBuilder(page).violations()).toEqual([]);

  // The history gives the same conversation as the live events did.
  // A line that passes while the code of a tool is compiled is not part of the history.
  const live = (await messages(page).innerText()).replace('compiling (first call only)', '');
  await page.reload();
  await expect(card(page, 'palyra.counter_wat.add')).toContainText('Completed');
  await expect(messages(page)).toHaveText(live.replaceAll(/\s+/g, ' ').trim(), { useInnerText: true });
  await card(page, 'palyra.counter_wat.add').getByRole('link', { name: 'Open the run and its receipt' }).click();
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect(page.getByText('Verified in this browser from the receipt alone.')).toBeVisible();
});

test('slash_picks_a_tool_for_the_message', async ({ signedIn: page }) => {
  await page.goto('/chat');
  await page.getByRole('button', { name: 'New session' }).first().click();
  await expect(page).toHaveURL(/\/chat\/ses_/);
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.pressSequentially('/counter');
  const tools = page.getByRole('listbox', { name: 'Tools' });
  await expect(tools.getByRole('option', { name: /palyra\.counter_wat\.add/ })).toHaveAttribute('aria-selected', 'true');
  expect(await new AxeBuilder(page).violations()).toEqual([]);
  await page.keyboard.press('Enter');
  await expect(message).toHaveValue('palyra.counter_wat.add ');
  await expect(tools).toBeHidden();
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('form', { name: 'Add' }).getByLabel('step')).toHaveValue('7');
});

test('cancelled_form_ends_the_run_and_calls_nothing', async ({ signedIn: page }) => {
  await say(page, 'add 3 to the counter');
  await dock(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(messages(page)).toContainText('The run ended: cancelled.');
  await expect(page.getByRole('form', { name: 'Add' }).getByLabel('step')).toBeDisabled();
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeEnabled();
});

test('approval_is_decided_outside_of_the_conversation_which_goes_on', async ({ signedIn: page, daemon }) => {
  const binding = await daemon.api<{ id: string }>('POST', '/v1/hooks', { event: 'run:before_tool', plugin: 'palyra.tool_gate', tools: ['palyra.counter_wat.*'] });
  await daemon.api('PUT', '/v1/plugins/palyra.tool_gate/config', { values: { ask: 'palyra.counter_wat.*' } });
  for (const [key, word] of [['a', 'Completed'], ['d', 'Denied']] as const) {
    await say(page, `add ${key === 'a' ? 1 : 2} to the counter`);
    await page.getByRole('form', { name: 'Add' }).getByRole('button', { name: 'Run' }).click();
    await expect(dock(page)).toContainText('1 call needs your approval');
    await expect(messages(page).getByRole('button', { name: /approve/i })).toHaveCount(0);
    const conversation = page.url();
    await dock(page).getByRole('link', { name: 'Review' }).click();
    await expect(page.getByRole('button', { name: /^Deny/ })).toBeFocused();
    await expect(page.getByRole('button', { name: /^Approve once/ })).toBeEnabled();
    await page.keyboard.press(key);
    await expect(page.getByRole('heading', { name: 'No pending approvals' }).first()).toBeVisible();
    await page.goto(conversation);
    await expect(card(page, 'palyra.counter_wat.add').last()).toContainText(word);
  }
  await daemon.api('DELETE', `/v1/hooks/bindings/${binding.id}`);
});

test('surface_of_a_skill_has_the_frame_of_the_host_and_its_form_goes_to_the_named_tool', async ({ signedIn: page, daemon }) => {
  const fields = [
    { name: 'tone', type: 'select', label: 'Tone', options: ['Friendly', 'Firm'], required: true, default: 'Friendly' },
    { name: 'due', type: 'date', label: 'Pay by', required: true },
  ];
  const document = {
    v: 1,
    surface: 'invoices',
    components: [
      { id: 'intro', type: 'markdown', props: { value: '7 invoices are **overdue**.' } },
      { id: 'chart', type: 'chart', props: { kind: 'bar', x: { type: 'category', values: ['Jun', 'Jul'] }, series: [{ name: 'Paid', values: [8, -3] }], title: 'Paid by month', units: 'EUR' } },
      { id: 'list', type: 'table', props: { columns: [{ key: 'who', label: 'Customer' }], rows: [{ who: 'Harbour & Pine' }] } },
      { id: 'reminder', type: 'form', props: { title: 'Reminder', submit_label: 'Apply settings', tool: 'acme.invoices.apply', fields } },
      { id: 'map', type: 'map', props: {} },
    ],
  };
  await install(daemon, await buildSurface(daemon, { skill: 'invoices', name: 'Invoices', description: 'Shows overdue invoices', document }));
  await say(page, 'show overdue invoices');
  await dock(page).getByRole('button', { name: /Yes|Go to form/ }).click();
  const choice = page.getByRole('form', { name: /Invoices show|Arguments/ });
  if (await choice.isVisible()) await choice.getByRole('button').click();

  const surface = page.getByRole('region', { name: 'Surface from acme.invoices' });
  await expect(surface).toContainText('Publisher acme');
  await expect(surface.locator('strong')).toHaveText('overdue');
  await expect(surface.getByRole('img', { name: /bar chart\. Paid: -3 to 8/ })).toBeVisible();
  await expect(surface).toContainText('Unsupported component type map');
  await surface.getByRole('button', { name: 'Apply settings' }).click();
  await expect(surface.getByRole('alert')).toHaveText('A value is required');
  await surface.getByLabel('Pay by').fill('2026-12-01');
  await surface.getByRole('button', { name: 'Apply settings' }).click();
  await expect(card(page, 'acme.invoices.apply')).toContainText('Completed');
  await expect(card(page, 'acme.invoices.apply')).toContainText('"due": "2026-12-01"');
  expect(await new AxeBuilder(page).violations()).toEqual([]);
});

test('two_tabs_show_one_conversation_and_one_of_them_answers', async ({ signedIn: page, context }) => {
  await say(page, 'add 4 to the counter');
  const second = await context.newPage();
  await second.goto(page.url());
  await expect(second.getByRole('form', { name: 'Add' })).toBeVisible();
  await second.getByRole('textbox', { name: 'Message' }).fill('typed in the second tab');
  await page.getByRole('form', { name: 'Add' }).getByRole('button', { name: 'Run' }).click();
  await expect(card(second, 'palyra.counter_wat.add')).toContainText('Completed');
  await expect(second.getByText('This form is closed: its run has ended')).toBeVisible();
  await expect(second.getByRole('textbox', { name: 'Message' })).toHaveValue('typed in the second tab');
  await second.getByRole('textbox', { name: 'Message' }).press('Enter');
  await expect(messages(page)).toContainText('typed in the second tab');
});

test('session_is_renamed_archived_and_deleted', async ({ signedIn: page }) => {
  await say(page, 'add 9 to the counter');
  await dock(page).getByRole('button', { name: 'Cancel' }).click();
  const menu = page.getByRole('button', { name: 'Session menu' });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await page.getByLabel('Title').fill('Nine');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nine');
  await menu.click();
  await page.getByRole('menuitem', { name: 'Archive', exact: true }).click();
  const sessions = page.getByRole('region', { name: 'Sessions' });
  await expect(sessions.getByRole('link', { name: 'Nine' })).toBeHidden();
  await sessions.getByRole('button', { name: 'Archived' }).click();
  await expect(sessions.getByRole('link', { name: 'Nine' })).toBeVisible();
  await menu.click();
  await page.getByRole('menuitem', { name: 'Delete session…' }).click();
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete session' }).click();
  await expect(sessions.getByRole('link', { name: 'Nine' })).toBeHidden();
});
