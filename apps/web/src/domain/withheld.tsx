import { DoorClosed } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { visible } from '@/lib/format';
import { Badge } from '@/ui/state';
import { Ticked } from '@/ui/ticked';

/** Permissions that a release requests and does not get, with the reason. */
export function Withheld({ grants }: { grants: Schemas['InstallOutcome']['withheld'] }) {
  return grants.map(({ grant, reason }) => (
    <div key={grant} className="flex items-start gap-3 border-t px-4 py-3">
      <DoorClosed size={16} aria-hidden className="mt-0.5 flex-none text-subtle" />
      <div className="min-w-0 flex-1">
        <s className="fact">{visible(grant)}</s>
        <div className="text-xs text-muted">
          Not granted: <Ticked text={reason} />
        </div>
      </div>
      <Badge look={{ tone: 'idle', icon: DoorClosed, word: 'Withheld' }} />
    </div>
  ));
}
