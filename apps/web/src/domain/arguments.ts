import { visible } from '@/lib/format';

/** One argument of a call, compared with the last approved call of the same tool. */
export interface ArgumentRow {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly change: 'same' | 'changed' | 'added' | 'removed';
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The members of a JSON object with the spelling they have in the text. Parsing would turn `1.10` into
 * `1.1` and lose digits of long numbers, and an approval is for the exact text.
 */
export function members(text: string): Map<string, string> | undefined {
  if (!parse(text)) return undefined;
  const found = new Map<string, string>();
  let i = text.indexOf('{') + 1;
  const skip = (): void => {
    while (/[\s,]/.test(text.charAt(i))) i++;
  };
  const stringEnd = (from: number): number => {
    let end = from + 1;
    while (text.charAt(end) !== '"') end += text.charAt(end) === '\\' ? 2 : 1;
    return end + 1;
  };
  for (skip(); text.charAt(i) === '"'; skip()) {
    const keyEnd = stringEnd(i);
    const key = JSON.parse(text.slice(i, keyEnd)) as string;
    i = text.indexOf(':', keyEnd) + 1;
    while (/\s/.test(text.charAt(i))) i++;
    const from = i;
    let depth = 0;
    while (i < text.length) {
      const character = text.charAt(i);
      if (character === '"') {
        i = stringEnd(i);
        continue;
      }
      if (character === '{' || character === '[') depth++;
      else if (character === '}' || character === ']') {
        if (depth === 0) break;
        depth--;
      } else if (character === ',' && depth === 0) break;
      i++;
    }
    found.set(key, text.slice(from, i).trim());
  }
  return found;
}

/** Rows of the arguments, changed ones first; `undefined` when the arguments are not an object. */
export function compareArguments(after: string, before: string | undefined): ArgumentRow[] | undefined {
  const now = members(after);
  if (!now) return undefined;
  const then = before === undefined ? undefined : members(before);
  const rows: ArgumentRow[] = [...now].map(([key, value]) => {
    const old = then?.get(key);
    const change = then === undefined || old === value ? 'same' : old === undefined ? 'added' : 'changed';
    return { key, before: old, after: value, change };
  });
  for (const [key, value] of then ?? []) {
    if (!now.has(key)) rows.push({ key, before: value, after: undefined, change: 'removed' });
  }
  const rank = { changed: 0, added: 1, removed: 2, same: 3 };
  return rows.sort((a, b) => rank[a.change] - rank[b.change]);
}

/** The arguments in one line, for a list; the whole of them is on the card. */
export function inOneLine(text: string): string {
  const rows = members(text.slice(0, 2_000));
  return visible(rows ? [...rows].map(([key, value]) => `${key} ${value}`).join(', ') : text.slice(0, 200));
}
