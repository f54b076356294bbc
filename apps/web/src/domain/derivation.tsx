import { Check, CircleDot, DoorClosed, DoorOpen, type LucideIcon, Minus, X } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { Ticked } from '@/ui/ticked';

type Derivation = Schemas['GrantDerivation'];
type Verdict = Schemas['GrantVerdict'] | 'none';

const AUTHORITIES = ['manifest', 'tool', 'consent', 'profile', 'policy'] as const;
const NAMES = { manifest: 'Manifest', tool: 'Tool', consent: 'Consent', profile: 'Profile', policy: 'Policy' } as const;
const LOOKS: Record<Verdict, { icon: LucideIcon; word: string; color: string }> = {
  granted: { icon: Check, word: 'allowed', color: 'text-ok' },
  narrowed: { icon: CircleDot, word: 'narrowed', color: 'text-wait' },
  refused: { icon: X, word: 'denied', color: 'text-bad' },
  none: { icon: Minus, word: 'not evaluated', color: 'text-subtle' },
};

/** The results in their fixed order; an authority after a denial was not asked. Most tools leave their skill's grants as they are. */
export function stepsOf(derivation: Derivation): { by: (typeof AUTHORITIES)[number]; verdict: Verdict; reason: string }[] {
  const narrows = derivation.steps.some((step) => step.by === 'tool');
  return AUTHORITIES.filter((by) => by !== 'tool' || narrows).map((by) => {
    const step = derivation.steps.find((each) => each.by === by);
    return { by, verdict: step?.verdict ?? 'none', reason: step?.reason ?? 'not evaluated' };
  });
}

export const isGranted = (derivation: Derivation): boolean => derivation.given.length > 0;

/** One icon for each authority, for a table cell. */
export function DerivationCells({ derivation }: { derivation: Derivation }) {
  const steps = stepsOf(derivation);
  const text = steps.map(({ by, verdict }) => `${NAMES[by]}: ${LOOKS[verdict].word}`).join(', ');
  return (
    <span role="img" aria-label={text} className="inline-grid grid-flow-col items-center gap-1">
      {steps.map(({ by, verdict, reason }) => {
        const { icon: Icon, word, color } = LOOKS[verdict];
        return (
          <span key={by} title={`${NAMES[by]}: ${word}. ${reason}`} className={`grid size-5 place-items-center ${color}`}>
            <Icon size={13} />
          </span>
        );
      })}
    </span>
  );
}

/** The chain that ends in Granted or Denied, where the derivation is the subject. */
export function DerivationChain({ derivation, granted = isGranted(derivation) }: { derivation: Derivation; granted?: boolean }) {
  const End = granted ? DoorOpen : DoorClosed;
  const steps = stepsOf(derivation);
  const columns = steps.length === 5 ? 'grid-cols-[repeat(5,minmax(0,1fr))_84px]' : 'grid-cols-[repeat(4,minmax(0,1fr))_84px]';
  return (
    <ol className={`grid ${columns} divide-x max-tab:grid-cols-1 max-tab:divide-x-0 max-tab:divide-y`}>
      {steps.map(({ by, verdict, reason }) => {
        const { icon: Icon, word, color } = LOOKS[verdict];
        return (
          <li key={by} className={`min-w-0 px-3.5 py-3 ${verdict === 'refused' ? 'bg-bad-soft' : ''}`}>
            <div className={`flex items-center gap-1.5 font-medium ${color}`}>
              <Icon size={14} aria-hidden />
              <span className={verdict === 'granted' ? 'text-text' : ''}>{NAMES[by]}</span>
              <span className="screen-reader">{word}</span>
            </div>
            <div className="mt-0.5 text-xs break-words text-muted"><Ticked text={reason} /></div>
          </li>
        );
      })}
      <li className={`grid place-content-center justify-items-center gap-0.5 p-2 text-xs font-medium ${granted ? 'bg-ok-soft text-ok' : 'bg-bad-soft text-bad'}`}>
        <End size={20} aria-hidden />
        {granted ? 'Granted' : 'Denied'}
      </li>
    </ol>
  );
}
