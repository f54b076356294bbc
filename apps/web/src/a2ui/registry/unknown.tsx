import { CircleHelp } from 'lucide-react';
import { visible } from '@/lib/format';

/** A visible placeholder for a type that this console does not know, or that it failed to render. */
export function Unknown({ type, failed }: { type: string; failed?: boolean }) {
  return (
    <div className="flex items-center gap-2.5 rounded-2 border border-dashed border-control px-3 py-2.5 text-muted">
      <CircleHelp size={16} aria-hidden className="flex-none" />
      <span className="min-w-0 break-words">
        {failed ? 'The component of type' : 'Unsupported component type'} <code>{visible(type.slice(0, 64))}</code>
        {failed ? ' could not be rendered.' : '. This console cannot render it.'}
      </span>
    </div>
  );
}
