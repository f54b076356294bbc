import { useId } from 'react';
import type { Schemas } from '@/api/client';
import { clock, count, hour } from '@/lib/format';

type Bucket = Schemas['ActivityBucket'];

const WIDTH = 480;

/** Sum of a count over all buckets. */
export const total = (buckets: readonly Bucket[], name: 'calls' | 'failed' | 'denied'): number => buckets.reduce((sum, bucket) => sum + bucket[name], 0);

/** A round number that is at least `most`, for the top of the axis. */
export function roundUp(most: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return (([1, 2, 5, 10].find((step) => step * size >= most) ?? 10) * size);
}

interface Props {
  buckets: readonly Bucket[];
  height: number;
  /** Draws the number of calls beside the bars. */
  axis?: boolean;
}

/** Calls over time as bars; the failed ones are hatched, so that they do not differ by color alone. */
export function CallBars({ buckets, height, axis }: Props) {
  const hatch = useId();
  const most = Math.max(1, ...buckets.map(({ calls }) => calls));
  const top = axis ? Math.max(2, roundUp(most)) : most;
  const width = WIDTH / Math.max(1, buckets.length);
  const room = height - 8;
  const times = [0, 0.25, 0.5, 0.75].map((share) => buckets[Math.floor(share * buckets.length)]?.start_ms ?? 0);
  return (
    <div role="img" aria-label={`${count(total(buckets, 'calls'))} calls, ${count(total(buckets, 'failed'))} failed. Most in one bar: ${count(most)}.`} className={axis ? 'relative pl-9' : ''}>
      {axis &&
        [1, 0.5, 0].map((share) => (
          <span key={share} aria-hidden className="absolute inset-x-0 flex h-0 items-center" style={{ top: height - share * room }}>
            <span className="num w-9 pr-2 text-right font-mono text-2xs text-subtle">{share * top >= 1 || share === 0 ? count(Math.round(share * top)) : ''}</span>
            <span className="flex-1 border-t" />
          </span>
        ))}
      <svg viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" width="100%" height={height} className="relative border-b" aria-hidden>
        <pattern id={hatch} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="4" height="4" className="fill-bad-soft" />
          <path d="M0 0V4" className="stroke-data-bad" strokeWidth="3" />
        </pattern>
        {buckets.map(({ start_ms, calls, failed }, i) => {
          const whole = (calls / top) * room;
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
        {times.map((at, i) => (
          <span key={i}>{hour(at)}{i === 0 ? ' yesterday' : ''}</span>
        ))}
        <span>now</span>
      </div>
    </div>
  );
}
