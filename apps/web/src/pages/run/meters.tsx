import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { queries } from '@/api/queries';
import type { RunDetails } from '@/domain/run-details';
import type { Tape } from '@/domain/tape';
import { bytes, count, millis } from '@/lib/format';
import { Meter } from '@/ui/meter';

interface Props {
  run: Schemas['RunInfo'];
  details: RunDetails;
  tape: Tape | undefined;
}

interface Use {
  readonly used: number | undefined;
  readonly allowed: number | undefined;
}

/** Name, limit as the API calls it, and unit of each meter, in the order of the page. */
const METERS = [
  ['Fuel', 'fuel', count],
  ['Memory', 'memory', bytes],
  ['Time', 'timeout', millis],
  ['Host calls', 'host_calls', count],
  ['Egress', 'egress', bytes],
] as const;

type Limit = (typeof METERS)[number][1];

/** The five meters of a run: its use so far while it is in progress, then what its receipt says. */
export function Meters({ run, details, tape }: Props) {
  const live = useQuery({ ...queries.liveMeters(run.run_id), enabled: run.status === 'started' }).data;
  const ended: Record<Limit, Use> = {
    fuel: { used: details.fuel, allowed: tape?.limits.fuel_budget },
    memory: { used: details.peak_memory_bytes, allowed: tape?.limits.max_memory_bytes },
    timeout: { used: details.elapsed_us === undefined ? undefined : details.elapsed_us / 1_000, allowed: tape?.limits.wall_clock_timeout_ms },
    host_calls: { used: details.host_calls, allowed: tape?.limits.max_host_calls },
    egress: { used: details.egress_bytes, allowed: tape?.limits.max_egress_bytes },
  };
  return (
    <section aria-label="Resource usage and limits" className="mb-6 grid grid-cols-5 gap-6 max-icon:grid-cols-3 max-tab:grid-cols-2 max-tab:gap-4">
      {METERS.map(([name, limit, format]) => {
        const { used, allowed } = ended[limit].used === undefined ? (live?.find((meter) => meter.limit === limit) ?? ended[limit]) : ended[limit];
        return <Meter key={limit} name={name} value={used ?? 0} limit={allowed} format={format} />;
      })}
    </section>
  );
}
