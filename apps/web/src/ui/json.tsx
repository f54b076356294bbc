import { useMemo } from 'react';
import { visible } from '@/lib/format';

/** Most characters of a value that are put on the page. */
const MOST = 200_000;

/** A JSON value as text; nothing of it is interpreted. */
export function Json({ value, label, className = '' }: { value: unknown; label: string; className?: string }) {
  const text = useMemo(() => {
    const whole = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'null');
    return whole.length > MOST ? `${visible(whole.slice(0, MOST))}\n… ${whole.length - MOST} more characters` : visible(whole);
  }, [value]);
  return (
    <pre className={`code ${className}`} tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}
