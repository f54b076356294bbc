export interface Piece {
  readonly text: string;
  readonly added: boolean;
}

/** Punctuation is apart from the word before it: a new sentence leaves the old last word as it was. */
const WORD = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;
/** Longer texts are compared as a whole. */
const MOST_WORDS = 1_200;

/** Splits `after` into pieces that `before` has in the same order and pieces that are new. */
export function addedWords(before: string, after: string): Piece[] {
  const old = before.match(WORD) ?? [];
  const now = after.match(WORD) ?? [];
  if (old.length > MOST_WORDS || now.length > MOST_WORDS) return [{ text: after, added: before !== after }];
  // Longest common subsequence, from the end, so that the walk below goes forward.
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      lengths[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pieces: { text: string; added: boolean }[] = [];
  const push = (text: string, added: boolean): void => {
    const last = pieces.at(-1);
    if (last?.added === added) last.text += text;
    else pieces.push({ text, added });
  };
  let i = 0;
  for (let j = 0; j < now.length; ) {
    const word = now[j] ?? '';
    if (i < old.length && old[i] === word) {
      push(word, false);
      i++;
      j++;
    } else if (i < old.length && at(i + 1, j) >= at(i, j + 1)) i++;
    else {
      push(word, true);
      j++;
    }
  }
  return pieces;
}
