const groups = new Intl.NumberFormat('en-US');

/** Full number with thousands separators. */
export const count = (value: number): string => groups.format(value);

/** Short number with a unit suffix, for bars and tables. */
export function compact(value: number): string {
  if (value < 1_000) return String(value);
  for (const [size, unit] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']] as const) {
    if (value >= size) return `${trimmed(value / size)} ${unit}`;
  }
  return String(value);
}

const trimmed = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1).replace(/\.0$/, ''));

export function bytes(value: number): string {
  if (value < 1_024) return `${value} B`;
  for (const [size, unit] of [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']] as const) {
    if (value >= size) return `${trimmed(value / size)} ${unit}`;
  }
  return `${value} B`;
}

export function micros(us: number): string {
  if (us < 1_000) return `${us} µs`;
  return millis(us / 1_000);
}

export function millis(ms: number): string {
  if (ms < 0.1) return '<1 ms';
  if (ms < 1_000) return `${trimmed(ms)} ms`;
  if (ms < 60_000) return `${trimmed(ms / 1_000)} s`;
  return span(ms);
}

/** A long duration in its two largest units. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const units = [[86_400, 'd'], [3_600, 'h'], [60, 'min'], [1, 's']] as const;
  const first = units.findIndex(([size]) => seconds >= size);
  if (first < 0) return '0 s';
  const parts: string[] = [];
  let rest = seconds;
  for (const [size, unit] of units.slice(first, first + 2)) {
    const n = Math.floor(rest / size);
    if (n > 0) parts.push(`${n} ${unit}`);
    rest -= n * size;
  }
  return parts.join(' ');
}

/** Minutes and seconds that remain, as in `12:41`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

export function ago(at: number, now: number): string {
  const past = now - at;
  if (past < -1_000) return `in ${span(-past)}`;
  if (past < 10_000) return 'just now';
  if (past < 60_000) return `${Math.floor(past / 1_000)} s ago`;
  if (past < 3_600_000) return `${Math.floor(past / 60_000)} min ago`;
  if (past < 86_400_000) return `${Math.floor(past / 3_600_000)} h ago`;
  if (past < 14 * 86_400_000) return `${Math.floor(past / 86_400_000)} d ago`;
  return day(at);
}

const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

export const clock = (at: number): string => time.format(at);
/** Hours and minutes, for an axis. */
export const hour = (at: number): string => time.format(at).slice(0, 5);
export const day = (at: number): string => date.format(at);
export const exact = (at: number): string => `${date.format(at)}, ${time.format(at)}`;

/** Shortens a digest or id in the middle. */
export function short(text: string, head = 8, tail = 4): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`;
}

export const shortRun = (run: string): string => short(run, 10, 4);

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** Quotes one argument for a POSIX shell. */
export function quote(argument: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Makes control, bidirectional and invisible characters of foreign text visible. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => {
    if (character === '\n' || character === '\t') return character;
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** Name of a skill or tool in words: `acme.mail_box` becomes `Mail box`. */
export function words(id: string): string {
  const last = id.split('.').at(-1) ?? id;
  const text = last.replaceAll(/[_-]+/g, ' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
