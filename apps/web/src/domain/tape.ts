/** One question of a guest to the host, as its tape has it. */
export interface TapeStep {
  readonly number: number;
  readonly op: string;
  readonly request: unknown;
  readonly answer: unknown;
  readonly outcome: 'ok' | 'error' | 'none';
}

export interface Tape {
  readonly input: string | undefined;
  readonly output: string | undefined;
  readonly outcome: string;
  readonly engine: string | undefined;
  readonly module: string | undefined;
  readonly grants: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
  readonly steps: readonly TapeStep[];
}

/** Most steps that are read; a tape says itself how many it has. */
const MOST_STEPS = 20_000;

function outcomeOf(answer: unknown): TapeStep['outcome'] {
  if (answer === null) return 'none';
  if (typeof answer === 'object' && 'Err' in answer) return 'error';
  return 'ok';
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Reads a tape; lines that are not known are skipped. */
export function readTape(ndjson: string): Tape {
  let header: Record<string, unknown> = {};
  let end: Record<string, unknown> = {};
  const steps: TapeStep[] = [];
  for (const line of ndjson.split('\n')) {
    if (line === '') continue;
    let value: Record<string, unknown>;
    try {
      value = record(JSON.parse(line));
    } catch {
      continue;
    }
    if ('tape' in value) header = record(value.tape);
    else if ('end' in value) end = record(value.end);
    else if ('step' in value && steps.length < MOST_STEPS) {
      const step = record(value.step);
      steps.push({ number: steps.length + 1, op: text(step.op) ?? '', request: step.request, answer: step.answer, outcome: outcomeOf(step.answer) });
    }
  }
  const limits: Record<string, number> = {};
  for (const [name, value] of Object.entries(record(header.limits))) if (typeof value === 'number') limits[name] = value;
  return {
    input: text(header.input),
    output: text(end.output),
    outcome: text(end.outcome) ?? 'unknown',
    engine: text(header.engine),
    module: text(header.module_sha256),
    grants: Array.isArray(header.grants) ? header.grants.filter((grant) => typeof grant === 'string') : [],
    limits,
    steps,
  };
}

/** The subject of a step in one line: a URL, a key, a message. */
export function subjectOfStep({ request }: TapeStep): string {
  const { method, url, key, path, prefix, channel, message, name } = record(request);
  if (typeof url === 'string') return `${typeof method === 'string' ? `${method} ` : ''}${url}`;
  for (const value of [key, path, prefix, channel, message, name]) if (typeof value === 'string') return value;
  const whole = JSON.stringify(request) ?? '';
  return whole === 'null' || whole === '{}' ? '' : whole.slice(0, 200);
}

/** What the host answered, in a few words. */
export function answerOfStep({ answer, outcome }: TapeStep): string {
  if (outcome === 'none') return 'the run ended first';
  const value = record(answer);
  if (outcome === 'error') return shorten(value.Err);
  const ok = 'Ok' in value ? value.Ok : answer;
  if (ok === null) return '';
  const { status, bytes } = record(ok);
  if (typeof status === 'number') return String(status);
  if (typeof bytes === 'number') return `${bytes} B`;
  return shorten(ok);
}

function shorten(value: unknown): string {
  const whole = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return whole.length > 80 ? `${whole.slice(0, 79)}…` : whole;
}
