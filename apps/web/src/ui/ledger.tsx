import { Link } from '@tanstack/react-router';
import { count } from '@/lib/format';

/** A journal entry by its number. */
export function Ledger({ event }: { event: number }) {
  return (
    <Link to="/journal/$seq" params={{ seq: String(event) }} className="ledger" title={`Journal entry ${count(event)}`}>
      #{count(event)}
    </Link>
  );
}
