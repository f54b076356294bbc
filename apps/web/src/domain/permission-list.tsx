import { Info, TriangleAlert } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { Badge, type StatusLook } from '@/ui/state';
import { Ticked } from '@/ui/ticked';

const RANK = { high: 0, medium: 1, low: 2 } as const;
const LOOK: Record<Schemas['PermissionSeverity'], StatusLook> = {
  high: { tone: 'bad', icon: TriangleAlert, word: 'High' },
  medium: { tone: 'wait', icon: Info, word: 'Medium' },
  low: { tone: 'idle', icon: Info, word: 'Low' },
};

/** Permissions in the wording of the daemon, highest severity first. */
export function PermissionList({ permissions }: { permissions: readonly Schemas['Permission'][] }) {
  if (permissions.length === 0) return <p className="px-4 py-3 text-muted">No permission. The skill sees its input and nothing else.</p>;
  const sorted = [...permissions].sort((a, b) => RANK[a.severity] - RANK[b.severity]);
  return (
    <ul className="rows">
      {sorted.map(({ severity, text }) => (
        <li key={text} className="flex items-start gap-3 px-4 py-3">
          <span className="min-w-0 flex-1 break-words"><Ticked text={text} /></span>
          <Badge look={LOOK[severity]} />
        </li>
      ))}
    </ul>
  );
}
