import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Hand } from 'lucide-react';
import { agent, type Pause } from '@/api/agent';
import { useOnline } from '@/api/use-connection';
import { countdown, span, visible } from '@/lib/format';
import { useNow } from '@/lib/now';
import { Button } from '@/ui/button';
import { toast } from '@/ui/toast';

const TITLES: Record<Pause['kind'], string> = {
  approval: '1 call needs your approval',
  form: 'A form waits for your input',
  question: 'The agent asks',
};

const HOUR = 3_600_000;

/** What the run waits for, in the frame of the host: never inside the conversation. */
export function Dock({ pause, onShowForm }: { pause: Pause; onShowForm: () => void }) {
  const now = useNow();
  const online = useOnline();
  const answer = useMutation({ mutationFn: (decision: 'approve' | 'deny') => agent.answer(pause, decision), onError: (error) => toast(error.message) });
  const left = pause.expires_ms - now;
  const blocked = !online || answer.isPending;
  return (
    <section aria-label="Waiting for you" className="tone-wait mx-auto mb-2 w-[calc(100%-48px)] max-w-[720px] overflow-hidden rounded-3 border border-wait-line bg-surface max-tab:w-[calc(100%-32px)]">
      <div className="seal" aria-hidden />
      <div className="flex flex-wrap items-center gap-3 px-4 py-2.5">
        <Hand size={16} aria-hidden className="flex-none text-wait" />
        <span className="min-w-0 flex-1 basis-52 break-words">
          <b className="font-medium">{TITLES[pause.kind]}</b>
          <span className="text-muted"> · {visible(pause.question)}</span>
        </span>
        <span className="num text-xs text-muted">{left < HOUR ? countdown(left) : span(left)} left</span>
        {pause.kind === 'approval' && pause.approval_id && (
          <Link to="/approvals/$approval" params={{ approval: pause.approval_id }} className="btn" data-kind="primary" data-small>
            Review
          </Link>
        )}
        {pause.kind === 'form' && (
          <>
            <Button small disabled={blocked} onClick={() => answer.mutate('deny')}>
              Cancel
            </Button>
            <Button small kind="primary" onClick={onShowForm}>
              Go to form
            </Button>
          </>
        )}
        {pause.kind === 'question' && (
          <>
            <Button small kind="primary" disabled={blocked} onClick={() => answer.mutate('deny')}>
              No
            </Button>
            <Button small disabled={blocked} onClick={() => answer.mutate('approve')}>
              Yes
            </Button>
          </>
        )}
      </div>
    </section>
  );
}
