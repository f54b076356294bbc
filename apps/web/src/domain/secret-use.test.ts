import { describe, expect, it } from 'vitest';
import { secretUse } from './secret-use';

describe('secretUse', () => {
  it('names_each_form_and_each_host', () => {
    expect(secretUse({ hosts: ['api.acme.example'], inject: ['bearer'], readable: false })).toBe(
      'Injected by the daemon as a bearer token, for `api.acme.example` only; the skill never sees it.',
    );
    expect(secretUse({ hosts: ['a.example', '*.b.example'], inject: ['header:x-api-key', 'query:key'], readable: false })).toBe(
      'Injected by the daemon in the header `x-api-key` or in the query parameter `key`, for `a.example`, `*.b.example` only; the skill never sees it.',
    );
  });
  it('says_that_the_skill_reads_a_readable_value', () => {
    expect(secretUse({ hosts: [], inject: [], readable: true })).toBe('The skill reads the value.');
    expect(secretUse({ hosts: ['a.example'], inject: ['basic'], readable: true })).toBe('Injected by the daemon as a basic password, for `a.example` only. The skill also reads the value.');
  });
});
