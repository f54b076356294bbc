import { describe, expect, it } from 'vitest';
import { compareFingerprint } from './fingerprint';

const KEY = 'ed25519:77853ff6997a3093cd17924aabcfe3c415c8fef10aa315ef9e924b13bf368571';

describe('compareFingerprint', () => {
  it('accepts_the_same_key_in_other_spellings', () => {
    expect(compareFingerprint(KEY, KEY).complete).toBe(true);
    expect(compareFingerprint(KEY, '77853FF6 997A3093 CD17924A ABCFE3C4 15C8FEF1 0AA315EF 9E924B13 BF368571').complete).toBe(true);
  });
  it('counts_groups_while_typing', () => {
    expect(compareFingerprint(KEY, '77853ff6 997')).toMatchObject({ mismatch: undefined, equal: 1, complete: false });
  });
  it('names_the_first_group_that_differs', () => {
    expect(compareFingerprint(KEY, KEY.replace('997a3093', '997a3094')).mismatch).toBe(1);
    expect(compareFingerprint(KEY, `${KEY}0`).mismatch).toBe(8);
    expect(compareFingerprint(KEY, 'not a key').mismatch).toBe(0);
  });
});
