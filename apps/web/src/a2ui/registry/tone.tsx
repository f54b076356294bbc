import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Tone } from '../document';

const LOOKS = {
  success: { icon: CircleCheck, color: 'text-ok', word: 'Success' },
  warning: { icon: TriangleAlert, color: 'text-wait', word: 'Warning' },
  critical: { icon: CircleX, color: 'text-bad', word: 'Critical' },
} as const;

/** Text with its tone: an icon and a hidden word beside the color. */
export function Toned({ tone = 'normal', children }: { tone?: Tone | undefined; children: ReactNode }) {
  if (tone === 'normal' || tone === 'muted') return <span className={tone === 'muted' ? 'text-muted' : ''}>{children}</span>;
  const look = LOOKS[tone];
  if (!look) return <span>{children}</span>;
  const Icon = look.icon;
  return (
    <span className="inline-flex items-start gap-2">
      <Icon size={15} aria-label={look.word} role="img" className={`mt-1 flex-none ${look.color}`} />
      <span>{children}</span>
    </span>
  );
}
