import { describe, expect, it } from 'vitest';
import { curlCommand, palyraCommand } from './commands';

describe('commands', () => {
  it('quotes_each_argument', () => {
    expect(palyraCommand(['run', 'acme.notes.add', '--input', '{"text":"it\'s"}'])).toBe(
      `palyra run acme.notes.add --input '{"text":"it'\\''s"}'`,
    );
  });
  it('builds_requests_with_and_without_a_body', () => {
    const origin = 'http://127.0.0.1:7437';
    expect(curlCommand({ palyra: [], path: '/v1/runs' }, origin)).toBe(
      'curl -sS -H "Authorization: Bearer $(cat ~/.palyra/owner.token)" http://127.0.0.1:7437/v1/runs',
    );
    expect(curlCommand({ palyra: [], method: 'POST', path: '/v1/x', body: { a: 1 } }, origin)).toContain(`-d '{"a":1}'`);
    expect(curlCommand({ palyra: [] }, origin)).toBeUndefined();
  });
});
