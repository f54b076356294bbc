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
    <span role="img" aria-label={text} className="inline-grid grid-flow-col items-center">
      {steps.map(({ by, verdict, reason }, i) => {
        const { icon: Icon, word, color } = LOOKS[verdict];
        return (
          <span key={by} title={`${NAMES[by]}: ${word}. ${reason}`} className={`relative grid h-5 w-15 place-items-center max-tab:w-9 ${color}`}>
            {i > 0 && <span className="absolute top-1/2 right-[calc(50%+14px)] left-[calc(-50%+14px)] border-t border-edge" />}
            <Icon size={14} />
          </span>
        );
      })}
    </span>
  );
}

/** The names above the icons of `DerivationCells`; a tool that narrows is rare and has its own icon in its row only. */
export function DerivationHead() {
  return (
    <span className="inline-grid grid-flow-col">
      {(['manifest', 'consent', 'profile', 'policy'] as const).map((by) => (
        <span key={by} className="w-15 text-center">
          {NAMES[by]}
        </span>
      ))}
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
