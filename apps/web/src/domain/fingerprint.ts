/** Result of comparing a fingerprint with a pasted one. */
export interface Compared {
  readonly groups: readonly ('equal' | 'differs' | undefined)[];
  /** Index of the first group that differs. */
  readonly mismatch: number | undefined;
  readonly equal: number;
  readonly complete: boolean;
}

const digits = (text: string): string => text.trim().toLowerCase().replace(/^ed25519:/, '').replace(/[\s:.-]/g, '');

/** The 64 digits of a key in eight groups. */
export const groupsOf = (keyId: string): string[] => digits(keyId).match(/.{1,8}/g) ?? [];

/** Compares group by group; a group that is still being typed counts as long as it is a prefix. */
export function compareFingerprint(keyId: string, pasted: string): Compared {
  const expected = groupsOf(keyId);
  const text = digits(pasted);
  const groups = expected.map((group, i) => {
    const part = text.slice(8 * i, 8 * i + 8);
    if (part === '') return undefined;
    if (part === group) return 'equal';
    return part.length < 8 && group.startsWith(part) ? undefined : 'differs';
  });
  const first = groups.indexOf('differs');
  const tooLong = text.length > expected.join('').length;
  const equal = groups.filter((group) => group === 'equal').length;
  return { groups, mismatch: first >= 0 ? first : tooLong ? expected.length : undefined, equal, complete: equal === expected.length && !tooLong };
}
