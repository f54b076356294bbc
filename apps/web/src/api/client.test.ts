import { afterEach, describe, expect, it, vi } from 'vitest';
import { send } from './client';
import { OfflineError } from './problem';

afterEach(() => vi.unstubAllGlobals());

const answers = (status: number, type: string) => vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}', { status, headers: { 'content-type': type } })));

describe('send', () => {
  it('takes_a_bad_gateway_of_a_proxy_for_a_daemon_that_is_gone', async () => {
    answers(502, 'text/html');
    await expect(send('/v1/health')).rejects.toBeInstanceOf(OfflineError);
  });
  it('takes_a_problem_of_the_daemon_for_its_answer', async () => {
    answers(504, 'application/problem+json');
    expect((await send('/v1/tools/acme.slow.call/invoke')).status).toBe(504);
  });
});
