import { describe, expect, it } from 'vitest';
import { curlCommand, grpcCommand, palyraCommand } from './commands';

const TOKEN = '-H "Authorization: Bearer $(cat "${PALYRA_STATE_ROOT:-$HOME/.palyra}/owner.token")"';

describe('commands', () => {
  it('quotes_each_argument', () => {
    expect(palyraCommand(['run', 'acme.notes.add', '--input', '{"text":"it\'s"}'])).toBe(
      `palyra run acme.notes.add --input '{"text":"it'\\''s"}'`,
    );
  });
  it('builds_requests_with_and_without_a_body', () => {
    const origin = 'http://127.0.0.1:7437';
    expect(curlCommand({ palyra: [], path: '/v1/runs' }, origin)).toBe(`curl -sS ${TOKEN} http://127.0.0.1:7437/v1/runs`);
    expect(curlCommand({ palyra: [], method: 'POST', path: '/v1/x', body: { a: 1 } }, origin)).toContain(`-d '{"a":1}'`);
    expect(curlCommand({ palyra: [] }, origin)).toBeUndefined();
  });
  it('builds_grpc_calls_where_a_method_exists', () => {
    expect(grpcCommand({ palyra: [], grpc: { method: 'palyra.skills.v1.SkillsService/GetSkill', message: { skill_id: 'acme.notes' } } })).toBe(
      `grpcurl -plaintext ${TOKEN} -d '{"skill_id":"acme.notes"}' "\${PALYRA_GRPC_LISTEN:-127.0.0.1:7438}" palyra.skills.v1.SkillsService/GetSkill`,
    );
    expect(grpcCommand({ palyra: [] })).toBeUndefined();
  });
});
