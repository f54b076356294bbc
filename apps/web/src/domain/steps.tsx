import { Check } from 'lucide-react';
import { visible } from '@/lib/format';
import { Ticked } from '@/ui/ticked';

interface Step {
  readonly name: string;
  readonly checked: string;
  readonly found: string;
}

/** Steps that passed: name, check and result. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="rows">
      {steps.map(({ name, checked, found }) => (
        <li key={`${name}${checked}`} className="grid grid-cols-[18px_104px_minmax(0,1fr)_minmax(0,1fr)] items-baseline gap-x-3 px-4 py-2 max-tab:grid-cols-[18px_minmax(0,1fr)]">
          <Check size={13} aria-label="passed" className="mt-1 self-start text-ok" />
          <span className="fact">{name}</span>
          <span className="text-muted max-tab:col-start-2"><Ticked text={checked} /></span>
          <span className="fact text-subtle max-tab:col-start-2">{visible(found)}</span>
        </li>
      ))}
    </ol>
  );
}
