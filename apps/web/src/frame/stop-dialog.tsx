import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { OctagonX } from 'lucide-react';
import { client, unwrap } from '@/api/client';
import { queries } from '@/api/queries';
import { recorded } from '@/api/recorded';
import { useOnline } from '@/api/use-connection';
import { plural } from '@/lib/format';
import { Button } from '@/ui/button';
import { Command } from '@/ui/copy';
import { Dialog } from '@/ui/dialog';
import { ProblemView } from '@/ui/states';
import { toast } from '@/ui/toast';

/** Disables the runner and cancels what runs, or enables the runner again. */
export function StopDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const queryClient = useQueryClient();
  const online = useOnline();
  const runner = useQuery({ ...queries.runnerPolicy(), enabled: open });
  const running = useQuery({ ...queries.runs({ status: 'started', limit: 100 }), enabled: open });
  const stopped = runner.data?.policy.enabled === false;
  const runs = running.data?.runs ?? [];

  const change = useMutation({
    mutationFn: async (enabled: boolean) => {
      const shown = await unwrap(client.GET('/v1/runner-policy'));
      return recorded('policy:changed', () =>
        unwrap(client.PUT('/v1/runner-policy', { body: { policy: { ...shown.policy, enabled }, revision: shown.revision } })),
      );
    },
    onSuccess({ entry }, enabled) {
      toast(enabled ? 'Runner enabled' : 'Runner disabled', entry);
      void queryClient.invalidateQueries();
      onClose();
    },
  });

  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={stopped ? 'Enable the runner?' : 'Stop everything?'}
      footer={
        <>
          <Button data-cancel onClick={onClose}>
            Cancel
          </Button>
          <Button kind={stopped ? 'primary' : 'danger'} disabled={!online || change.isPending} onClick={() => change.mutate(stopped)}>
            {!stopped && <OctagonX size={15} aria-hidden />}
            {stopped ? 'Enable the runner' : 'Stop everything'}
          </Button>
        </>
      }
    >
      {stopped ? (
        <p>The runner is disabled. Enabling it lets calls, hooks and routines run again.</p>
      ) : (
        <dl className="grid gap-3">
          <div>
            <dt className="mb-1 font-semibold">Stops now</dt>
            <dd>
              <ul className="grid list-disc gap-1 pl-5">
                <li>{runs.length > 0 ? `${plural(runs.length, 'running call')}${running.data?.next ? ' and more' : ''}, ${runs.length === 1 ? '' : 'each '}with a receipt` : 'Running calls: none at the moment'}</li>
                <li>New calls of the agent, tokens and the playground, until you enable the runner again</li>
                <li>Hooks and routines, until you enable the runner again</li>
              </ul>
            </dd>
          </div>
          <div>
            <dt className="mb-1 font-semibold">Kept</dt>
            <dd>
              <ul className="grid list-disc gap-1 pl-5">
                <li>Installed skills, their data, permissions and settings</li>
                <li>Pending approvals, sessions and the journal</li>
                <li>This console and the daemon itself</li>
              </ul>
            </dd>
          </div>
        </dl>
      )}
      <Command line={stopped ? 'palyra runner-policy set enabled=true' : 'palyra runner-policy set enabled=false'} />
      {change.isError && <ProblemView error={change.error} />}
    </Dialog>
  );
}
