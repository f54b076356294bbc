import { visible } from '@/lib/format';

/** Text of the daemon, which puts values in backticks; they become mono text, and nothing else is interpreted. */
export function Ticked({ text }: { text: string }) {
  const parts = visible(text).split('`');
  // An odd number of backticks is not a pair of quotes.
  if (parts.length % 2 === 0) return <>{visible(text)}</>;
  return <>{parts.map((part, i) => (i % 2 === 1 ? <span key={i} className="fact">{part}</span> : part))}</>;
}
