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

/** Reads JSON text to be shown indented; numbers beyond the precision of a browser stay as they are written. */
export function prettyJson(text: string): unknown {
  if (/\d{16,}/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
