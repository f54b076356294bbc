/** Facts of a receipt. Every field is absent while the run is in progress. */
export interface RunDetails {
  readonly version: string | undefined;
  readonly approval: string | undefined;
  readonly ended_by: string | undefined;
  readonly fuel: number | undefined;
  readonly peak_memory_bytes: number | undefined;
  readonly elapsed_us: number | undefined;
  readonly host_calls: number | undefined;
  readonly egress_bytes: number | undefined;
  readonly input_sha256: string | undefined;
  readonly output_sha256: string | undefined;
  readonly capabilities: readonly Use[];
}

export interface Use {
  readonly capability: string;
  readonly used: number;
  readonly denied: number;
  readonly failed: number;
}

/** Reads the details of a receipt, which the API describes as an object only. */
export function detailsOf(value: unknown): RunDetails {
  const details = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const number = (name: string): number | undefined => (typeof details[name] === 'number' ? details[name] : undefined);
  const text = (name: string): string | undefined => (typeof details[name] === 'string' ? details[name] : undefined);
  const capabilities = Object.entries((details.capabilities ?? {}) as Record<string, Partial<Use>>).map(([capability, use]) => ({
    capability,
    used: use.used ?? 0,
    denied: use.denied ?? 0,
    failed: use.failed ?? 0,
  }));
  return {
    version: text('version'),
    approval: text('approval'),
    ended_by: text('ended_by'),
    fuel: number('fuel'),
    peak_memory_bytes: number('peak_memory_bytes'),
    elapsed_us: number('elapsed_us'),
    host_calls: number('host_calls'),
    egress_bytes: number('egress_bytes'),
    input_sha256: text('input_sha256'),
    output_sha256: text('output_sha256'),
    capabilities,
  };
}
