import { Check } from 'lucide-react';
import { short } from '@/lib/format';
import { Ticked } from '@/ui/ticked';

interface Step {
  readonly name: string;
  readonly checked: string;
  readonly found: string;
}

/** Digests and fingerprints are shown in full where they are the subject; here they would hide the other results. */
const brief = (found: string): string => found.replaceAll(/[0-9a-f]{64}/g, (digest) => short(digest));

/** Steps that passed, in two columns: name, check and result. The first column is read first. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  const half = Math.ceil(steps.length / 2);
  return (
    <ol className="grid grid-flow-col grid-cols-2 max-icon:grid-rows-none! max-icon:grid-flow-row max-icon:grid-cols-1" style={{ gridTemplateRows: `repeat(${half}, auto)` }}>
      {steps.map(({ name, checked, found }, i) => (
        <li key={`${name}${checked}`} className={`grid grid-cols-[18px_minmax(0,1fr)] gap-x-2.5 px-4 py-2.5 max-icon:border-t max-icon:border-l-0 max-icon:first:border-t-0 ${i >= half ? 'border-l' : ''} ${i % half === 0 ? '' : 'border-t'}`}>
          <span className="mt-0.5 grid size-4.5 place-items-center rounded-full bg-ok-soft text-ok">
            <Check size={11} aria-label="passed" />
          </span>
          <span className="min-w-0">
            <span className="fact">{name}</span> <span className="text-xs text-subtle"><Ticked text={checked} /></span>
            <span className="block text-muted"><Ticked text={brief(found)} /></span>
          </span>
        </li>
      ))}
    </ol>
  );
}
