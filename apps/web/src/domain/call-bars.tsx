import { useId } from 'react';
import type { Schemas } from '@/api/client';
import { clock, count } from '@/lib/format';

type Bucket = Schemas['ActivityBucket'];

const WIDTH = 480;

/** Sum of a count over all buckets. */
export const total = (buckets: readonly Bucket[], name: 'calls' | 'failed' | 'denied'): number => buckets.reduce((sum, bucket) => sum + bucket[name], 0);

/** Calls over time as bars; the failed ones are hatched, so that they do not differ by color alone. */
export function CallBars({ buckets, height }: { buckets: readonly Bucket[]; height: number }) {
  const hatch = useId();
  const most = Math.max(1, ...buckets.map(({ calls }) => calls));
  const width = WIDTH / Math.max(1, buckets.length);
  return (
    <div role="img" aria-label={`${count(total(buckets, 'calls'))} calls, ${count(total(buckets, 'failed'))} failed. Most in one bar: ${count(most)}.`}>
      <svg viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" width="100%" height={height} className="border-b" aria-hidden>
        <pattern id={hatch} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="4" height="4" className="fill-bad-soft" />
          <path d="M0 0V4" className="stroke-data-bad" strokeWidth="3" />
        </pattern>
        {buckets.map(({ start_ms, calls, failed }, i) => {
          const whole = (calls / most) * (height - 8);
          const bad = calls > 0 ? (failed / calls) * whole : 0;
          return (
            <g key={start_ms}>
              <title>{`${clock(start_ms)}: ${calls} calls, ${failed} failed`}</title>
              <rect x={i * width + 1} y={height - whole + bad} width={width - 2} height={Math.max(0, whole - bad)} className="fill-data-1-soft" />
              {failed > 0 && <rect x={i * width + 1} y={height - whole} width={width - 2} height={Math.max(3, bad)} fill={`url(#${hatch})`} />}
            </g>
          );
        })}
      </svg>
      <div className="mt-1 flex justify-between font-mono text-2xs text-subtle" aria-hidden>
        <span>24 h ago</span>
        <span>12 h ago</span>
        <span>now</span>
      </div>
    </div>
  );
}
