import { describe, expect, it } from 'vitest';
import { pairPermissions, subjectOf } from './permission';

describe('permissions', () => {
  it('finds_the_subject_of_a_grant', () => {
    expect(subjectOf('http:GET https://api.example.com response=1MiB')).toBe('http:api.example.com');
    expect(subjectOf('http:https://api.example.com/v1/*')).toBe('http:api.example.com');
    expect(subjectOf('secret:global/token hosts=api.example.com inject=bearer')).toBe('secret:global/token');
    expect(subjectOf('storage:counter/ bytes=4KiB')).toBe('storage:counter/');
    expect(subjectOf('storage-read:counter/')).toBe('storage:counter/');
  });
  it('pairs_use_with_derivations', () => {
    const derivation = { asked: 'storage:counter/ bytes=4KiB', text: 'Store up to 4 KiB', given: [], steps: [] };
    const plugin = { declared: [{ capability: 'storage:counter/', used: 2, denied: 1, last_run: 'run_1' }] } as never;
    expect(pairPermissions([derivation], plugin)).toEqual([{ derivation, used: 2, denied: 1, lastRun: 'run_1' }]);
  });
});
