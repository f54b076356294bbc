import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Loader, MessageSquare, Plus } from 'lucide-react';
import { agent, type Session, sessionsQuery } from '@/api/agent';
import { useOnline } from '@/api/use-connection';
import { Button } from '@/ui/button';
import { State } from '@/ui/state';
import { Blank, ProblemView, Skeleton } from '@/ui/states';
import { When } from '@/ui/time';
import { toast } from '@/ui/toast';
import { Conversation } from './chat/conversation';

/** Sessions on the left, the conversation in the middle, what the run uses on the right. */
export default function Chat() {
  const { session: selected } = useParams({ strict: false });
  const sessions = useInfiniteQuery(sessionsQuery);
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
          <ul>
            {list.map((session) => (
              <li key={session.session_id}>
                <SessionLink session={session} current={session.session_id === current} />
              </li>
            ))}
          </ul>
          {sessions.hasNextPage && (
            <Button kind="quiet" small className="m-3" onClick={() => void sessions.fetchNextPage()}>
              Older
            </Button>
          )}
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

function SessionLink({ session, current }: { session: Session; current: boolean }) {
  return (
    <Link
      to="/chat/$session"
      params={{ session: session.session_id }}
      activeProps={{}}
      aria-current={current ? 'true' : undefined}
      className="grid gap-0.5 px-5 py-2.5 hover:bg-hover focus-visible:-outline-offset-2 aria-[current=true]:bg-selected aria-[current=true]:shadow-[inset_2px_0_0_var(--color-accent)]"
    >
      <span className="clip font-medium">{session.title || 'New session'}</span>
      <span className="flex items-center justify-between gap-2 text-xs text-subtle">
        {session.active_run ? <State look={{ tone: 'info', icon: Loader, word: 'In progress' }} /> : <span>done</span>}
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
