/** What a tape says about its run as a whole; its steps come from the daemon. */
export interface Tape {
  readonly input: string | undefined;
  readonly output: string | undefined;
  readonly outcome: string;
  readonly engine: string | undefined;
  readonly module: string | undefined;
  readonly grants: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function parsed(line: string): Record<string, unknown> {
  try {
    return record(JSON.parse(line));
  } catch {
    return {};
  }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Reads the first and the last line of a tape. */
export function readTape(ndjson: string): Tape {
  const lines = ndjson.trimEnd();
  const first = lines.indexOf('\n');
  const header = record(parsed(first < 0 ? lines : lines.slice(0, first)).tape);
  const end = record(parsed(lines.slice(lines.lastIndexOf('\n') + 1)).end);
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
  };
}
