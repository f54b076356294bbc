import { ago, exact } from '@/lib/format';
import { useNow } from '@/lib/now';

/** A time relative to now, exact on hover. */
export function When({ at }: { at: number | string | null | undefined }) {
  const now = useNow();
  if (at === null || at === undefined) return <span className="text-subtle">never</span>;
  const ms = typeof at === 'string' ? Date.parse(at) : at;
  if (Number.isNaN(ms)) return <span className="fact">{at}</span>;
  return (
    <time dateTime={new Date(ms).toISOString()} title={exact(ms)} className="num whitespace-nowrap">
      {ago(ms, now)}
    </time>
  );
}
