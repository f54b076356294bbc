import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

export type Tone = 'ok' | 'wait' | 'bad' | 'info' | 'held' | 'idle';

/** How a status looks: never a color alone. */
export interface StatusLook {
  readonly tone: Tone;
  readonly icon: LucideIcon;
  readonly word: string;
}

interface Props {
  look: StatusLook;
  /** Plain text with a colored icon, for lists where the normal state should not stand out. */
  quiet?: boolean;
  spin?: boolean;
}

export function State({ look: { tone, icon: Icon, word }, quiet = tone === 'ok' || tone === 'idle', spin }: Props) {
  return (
    <span className={`state tone-${tone} ${quiet ? 'quiet' : ''}`}>
      <Icon size={14} aria-hidden className={spin ? 'animate-spin' : ''} />
      {word}
    </span>
  );
}

export function Badge({ look: { tone, icon: Icon, word } }: { look: StatusLook }) {
  return (
    <span className={`badge tone-${tone}`}>
      <Icon size={13} aria-hidden />
      {word}
    </span>
  );
}

interface CalloutProps {
  tone: Tone;
  icon: LucideIcon;
  children: ReactNode;
  className?: string;
  role?: 'alert' | 'status';
}

export function Callout({ tone, icon: Icon, children, className = '', role }: CalloutProps) {
  return (
    <div className={`callout tone-${tone} ${className}`} role={role}>
      <Icon size={16} aria-hidden className="flex-none" />
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}
