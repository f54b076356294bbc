import { useQueryClient } from '@tanstack/react-query';
import { Unplug } from 'lucide-react';
import { retryConnection, useConnection } from '@/api/use-connection';
import { clock } from '@/lib/format';
import { Button } from '@/ui/button';

/** Says that the daemon does not answer, how old the data is, and what happens meanwhile. */
export function OfflineBar() {
  const { status, lastAnswer } = useConnection();
  const queries = useQueryClient();
  if (status !== 'offline') return null;
  return (
    <div role="alert" className="flex flex-none items-center gap-2.5 border-b border-bad-line bg-bad-soft px-5 py-2 text-bad max-tab:px-4">
      <Unplug size={16} aria-hidden className="flex-none" />
      <span className="font-medium">The daemon is not responding.</span>
      <span className="min-w-0 flex-1 text-muted max-tab:hidden">
        {lastAnswer ? `Showing data from ${clock(lastAnswer)}. ` : ''}Actions are disabled until the connection is restored. Pending
        calls are denied when they time out.
      </span>
      <Button
        small
        className="ml-auto"
        onClick={() => {
          retryConnection();
          void queries.refetchQueries({ type: 'active' });
        }}
      >
        Retry
      </Button>
    </div>
  );
}
