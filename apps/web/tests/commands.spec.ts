import { execFile } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { type Daemon, PALYRA } from './daemon';
import { expect, expectLoaded, test } from './fixture';

test.use({ state: 'commands' });

const exec = promisify(execFile);

/** Runs a line as a person who pasted it into a shell of this machine. */
async function paste(daemon: Daemon, line: string): Promise<{ code: number; output: string }> {
  const env = { ...process.env, PATH: `${dirname(resolve(PALYRA))}:${process.env.PATH}`, PALYRA_STATE_ROOT: daemon.root, PALYRA_NO_INPUT: '1', DISPLAY: '', NO_COLOR: '1' };
  try {
    const { stdout, stderr } = await exec('sh', ['-c', line], { env, cwd: dirname(daemon.root), maxBuffer: 16 << 20, timeout: 60_000 });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: number; stdout: string; stderr: string };
    return { code: code ?? 1, output: stdout + stderr };
  }
}

/** A command with a word such as FILE has to be completed first; some would take away what the others need, or ask for a secret. */
const canRun = (line: string): boolean => !/(^|[\s'/])[A-Z]{3,}([\s']|$)/.test(line) && !/^palyra \S+ (remove|disable|quarantine|put)\b/.test(line);
/** The answer "no" of `palyra policy check` is no failure. */
const DENIED = 4;

async function copied(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

test('commands_that_screens_show_work_as_pasted', async ({ signedIn: page, daemon }) => {
  test.slow();
  const { run_id } = await daemon.api<{ run_id: string }>('POST', '/v1/tools/palyra.counter_wat.add/invoke', { input: { step: 1 } });
  const skill = 'skills/palyra.counter_wat';
  const screens = [
    'skills', skill, `${skill}/permissions`, `${skill}/provenance`, `${skill}/audit`, 'publishers', 'hooks', 'routines', 'channels', 'policy', 'vault', 'tokens', 'doctor',
    'settings', 'playground/palyra.counter_wat.add', `runs/${run_id}`, `runs/${run_id}/replay`,
  ];
  const lines = new Set<string>();
  for (const screen of screens) {
    await page.goto(`/${screen}`);
    await expectLoaded(page);
    for (const line of await page.getByRole('group', { name: 'Command', exact: true }).allInnerTexts()) lines.add(line);
  }
  expect(lines.size).toBeGreaterThan(8);
  const failed: string[] = [];
  for (const line of [...lines].filter(canRun)) {
    const { code, output } = await paste(daemon, line);
    if (code !== 0 && !(code === DENIED && line.startsWith('palyra policy check'))) failed.push(`${line}: exit code ${code}: ${output.slice(-400)}`);
  }
  expect(failed).toEqual([]);
});

test('copied_forms_of_an_action_work_as_pasted', async ({ signedIn: page, context, daemon }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { run_id } = await daemon.api<{ run_id: string }>('POST', '/v1/tools/palyra.counter_wat.add/invoke', { input: { step: 1 } });
  const screens: [string, string][] = [
    ['skills/palyra.counter_wat', 'palyra.counter_wat'], [`runs/${run_id}`, run_id], ['runs', run_id], ['hooks', 'bindings'], ['routines', 'routines'], ['journal', 'run:completed'],
    ['policy', 'permit'], ['tokens', 'tokens'], ['doctor', 'checks'],
  ];
  for (const [screen, expected] of screens) {
    await page.goto(`/${screen}`);
    await expectLoaded(page);
    const copyAs = page.getByRole('button', { name: 'Copy as' }).first();
    const open = async () => {
      await expect(page.getByRole('menu')).toBeHidden();
      await copyAs.click();
      await expect(page.getByRole('menuitem').first()).toBeVisible();
    };
    await open();
    const forms = await page.getByRole('menuitem').allInnerTexts();
    await page.keyboard.press('Escape');
    for (const form of ['palyra', 'curl']) {
      await open();
      await page.getByRole('menuitem', { name: form, exact: true }).click();
      const { code, output } = await paste(daemon, await copied(page));
      expect(code, `${screen}, ${form}: ${output.slice(-400)}`).toBe(0);
      if (form === 'curl') expect(output, screen).toContain(expected);
    }
    if (forms.some((form) => form.startsWith('gRPC'))) {
      await open();
      await page.getByRole('menuitem', { name: /^gRPC/ }).click();
      // grpcurl is no package of Debian; names and fields are compared with the schemas by a unit test.
      expect(await copied(page)).toMatch(/^grpcurl -plaintext .* palyra\.[a-z.0-9]+[A-Za-z]+\/[A-Za-z]+$/);
    }
  }
});

test('call_of_the_playground_is_the_same_from_a_shell', async ({ signedIn: page, daemon }) => {
  await page.goto('/playground/palyra.counter_wat.add');
  await page.getByLabel('step').fill('7');
  const command = page.getByRole('group', { name: 'Command', exact: true });
  const forms = page.getByRole('group', { name: 'Command as' });
  for (const form of ['palyra', 'curl']) {
    await forms.getByRole('button', { name: form }).click();
    const { code, output } = await paste(daemon, await command.innerText());
    expect(code, output).toBe(0);
    expect(output).toMatch(/count/);
  }
  await forms.getByRole('button', { name: 'gRPC' }).click();
  await expect(command).toContainText('palyra.gateway.v1.GatewayService/Invoke');
});

test('copied_approval_decides_the_call', async ({ signedIn: page, context, daemon }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await daemon.api('POST', '/v1/hooks', { event: 'run:before_tool', plugin: 'palyra.tool_gate', tools: ['palyra.counter_wat.*'] });
  await daemon.api('PUT', '/v1/plugins/palyra.tool_gate/config', { values: { ask: 'palyra.counter_wat.*' } });
  const { secret } = await daemon.api<{ secret: string }>('POST', '/v1/tokens', { name: 'caller', scopes: ['invoke'] });
  for (const form of ['palyra', 'curl']) {
    const call = daemon.as(secret, 'POST', '/v1/tools/palyra.counter_wat.add/invoke', { input: { step: 1 }, wait_seconds: 60 });
    await page.goto('/approvals');
    await page.getByRole('article').getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: form, exact: true }).click();
    const { code, output } = await paste(daemon, await copied(page));
    expect(code, output).toBe(0);
    expect(await call).toHaveProperty('result');
  }
});
