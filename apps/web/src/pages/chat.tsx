import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Check, Hand, Loader, MessageSquare, Plus } from 'lucide-react';
import { useState } from 'react';
import { agent, type Pause, type Session } from '@/api/agent';
import { useOnline } from '@/api/use-connection';
import { visible } from '@/lib/format';
import { Button } from '@/ui/button';
import { Segments } from '@/ui/chips';
import { State, type StatusLook } from '@/ui/state';
import { Blank, ProblemView, Skeleton } from '@/ui/states';
import { When } from '@/ui/time';
import { toast } from '@/ui/toast';
import { Conversation } from './chat/conversation';

/** Sessions on the left, the conversation in the middle, what the run uses on the right. */
export default function Chat() {
  const { session: selected } = useParams({ strict: false });
  const [archived, setArchived] = useState(false);
  const sessions = useInfiniteQuery(agent.sessions(archived));
  const pauses = useQuery(agent.pauses()).data?.pauses ?? [];
  const list = sessions.data?.pages.flatMap((page) => page.sessions) ?? [];
  const wide = matchMedia('(min-width: 821px)').matches;
  const current = selected ?? (wide ? list[0]?.session_id : undefined);
  return (
    <div className="grid h-full min-h-0 grid-cols-[228px_minmax(0,1fr)] max-tab:grid-cols-1">
      {/* Without a conversation, the list of sessions is all that a narrow screen shows. */}
      {!current && <h1 className="screen-reader">Chat</h1>}
      <section aria-label="Sessions" className={`flex min-h-0 flex-col border-r ${selected ? 'max-tab:hidden' : ''}`}>
        <div className="flex items-center gap-2 py-3 pr-3 pl-5">
          <h2 className="flex-1">Sessions</h2>
          <NewSession />
        </div>
        <div className="min-h-0 flex-1 overflow-auto">
          {sessions.isError && (
            <div className="p-3">
              <ProblemView error={sessions.error} onRetry={() => void sessions.refetch()} />
            </div>
          )}
          {sessions.isPending && <Skeleton rows={4} />}
          {sessions.data && list.length === 0 && <p className="px-5 py-2 text-muted">{archived ? 'No session is archived.' : 'No session yet.'}</p>}
          <ul>
            {list.map((session) => (
              <li key={session.session_id}>
                <SessionLink session={session} pause={pauses.find(({ session_id }) => session_id === session.session_id)} current={session.session_id === current} />
              </li>
            ))}
          </ul>
          {sessions.hasNextPage && (
            <Button kind="quiet" small className="m-3" onClick={() => void sessions.fetchNextPage()}>
              Older
            </Button>
          )}
        </div>
        <div className="border-t px-5 py-2.5">
          <Segments label="Show" value={archived ? 'archived' : 'open'} onChange={(shown) => setArchived(shown === 'archived')} choices={[{ id: 'open', label: 'Open' }, { id: 'archived', label: 'Archived' }]} />
        </div>
      </section>
      <section aria-label="Conversation" className={`min-h-0 min-w-0 ${current ? '' : 'max-tab:hidden'}`}>
        {current ? (
          <Conversation key={current} id={current} />
        ) : (
          <Blank icon={MessageSquare} title="Start a conversation" text="The agent can use the tools of installed skills. Calls that need approval wait for your decision." action={<NewSession labeled />} />
        )}
      </section>
    </div>
  );
}

const DONE: StatusLook = { tone: 'idle', icon: Check, word: 'done' };
const RUNNING: StatusLook = { tone: 'info', icon: Loader, word: 'in progress' };
const WAITING: Record<Pause['kind'], StatusLook> = {
  approval: { tone: 'wait', icon: Hand, word: 'awaiting approval' },
  form: { tone: 'wait', icon: Hand, word: 'awaiting input' },
  question: { tone: 'wait', icon: Hand, word: 'awaiting an answer' },
};

function SessionLink({ session, pause, current }: { session: Session; pause: Pause | undefined; current: boolean }) {
  return (
    <Link
      to="/chat/$session"
      params={{ session: session.session_id }}
      activeProps={{}}
      aria-current={current ? 'true' : undefined}
      className="grid gap-0.5 px-5 py-2.5 hover:bg-hover focus-visible:-outline-offset-2 [&[aria-current]]:bg-selected [&[aria-current]]:shadow-[inset_2px_0_0_var(--color-accent)]"
    >
      <span className="clip font-medium">{visible(session.title) || 'New session'}</span>
      <span className="flex items-center justify-between gap-2 text-xs text-subtle">
        <State look={pause ? WAITING[pause.kind] : session.active_run ? RUNNING : DONE} />
        <When at={session.last_active_ms} />
      </span>
    </Link>
  );
}

function NewSession({ labeled }: { labeled?: boolean }) {
  const online = useOnline();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: agent.create,
    onSuccess({ session_id }) {
      void queryClient.invalidateQueries({ queryKey: ['sessions'] });
      void navigate({ to: '/chat/$session', params: { session: session_id } });
    },
    onError: (error) => toast(error.message),
  });
  return (
    <Button {...(labeled ? { kind: 'primary' as const } : { kind: 'quiet' as const, small: true, square: true, 'aria-label': 'New session' })} disabled={!online || create.isPending} onClick={() => create.mutate()}>
      <Plus size={15} aria-hidden />
      {labeled && 'New session'}
    </Button>
  );
}
