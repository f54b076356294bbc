import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeft, ArrowUp, Hand, OctagonX, TriangleAlert } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, lazy, Suspense, useEffect, useReducer, useRef, useState } from 'react';
import { agent, type Pause, type SessionEvent } from '@/api/agent';
import { followStream } from '@/api/stream';
import { useOnline } from '@/api/use-connection';
import { apply, EMPTY, type Item } from '@/domain/conversation';
import { countdown, visible } from '@/lib/format';
import { useNow } from '@/lib/now';
import { Button } from '@/ui/button';
import { useTitle } from '@/ui/page';
import { Callout } from '@/ui/state';
import { ProblemView, Skeleton } from '@/ui/states';
import { toast } from '@/ui/toast';
import { RunSide } from './run-side';
import { SessionSurface } from './session-surface';
import { ToolCard } from './tool-card';

const GuestMarkdown = lazy(() => import('@/ui/guest-markdown'));

/** Events that are kept, then the live ones. */
function useConversation(id: string) {
  const [state, dispatch] = useReducer((known: typeof EMPTY, event: SessionEvent) => apply(known, event), EMPTY);
  const [error, setError] = useState<unknown>();
  const [loaded, setLoaded] = useState(false);
  const queryClient = useQueryClient();
  useEffect(() => {
    let stop: (() => void) | undefined;
    let gone = false;
    agent
      .history(id)
      .then((events) => {
        if (gone) return;
        for (const event of events) dispatch(event);
        setLoaded(true);
        const last = events.at(-1)?.number;
        stop = followStream(agent.events(id), {
          endless: true,
          ...(last === undefined ? {} : { after: String(last) }),
          onEvent({ data }) {
            let event: SessionEvent;
            try {
              event = JSON.parse(data) as SessionEvent;
            } catch {
              return;
            }
            dispatch(event);
            if (event.event.startsWith('surface.')) void queryClient.invalidateQueries({ queryKey: ['sessions', id, 'surfaces'] });
            if (event.event.startsWith('run.') || event.event === 'message.completed') void queryClient.invalidateQueries({ queryKey: ['sessions'] });
          },
        });
      })
      .catch((reason: unknown) => {
        if (!gone) setError(reason);
      });
    return () => {
      gone = true;
      stop?.();
    };
  }, [id, queryClient]);
  return { state, error, loaded };
}

export function Conversation({ id }: { id: string }) {
  const { state, error, loaded } = useConversation(id);
  const session = useQuery(agent.session(id)).data;
  const end = useRef<HTMLDivElement>(null);
  const scroll = useRef<HTMLDivElement>(null);
  const title = session?.title || 'New session';
  useTitle(title);

  // Follows the stream only while its end is in view.
  useEffect(() => {
    const view = scroll.current;
    if (view && view.scrollHeight - view.scrollTop - view.clientHeight < 160) end.current?.scrollIntoView({ block: 'end' });
  }, [state]);

  return (
    <div className="grid h-full min-h-0 grid-cols-[minmax(0,1fr)_268px] max-wide:grid-cols-1">
      <div className="flex min-h-0 min-w-0 flex-col">
        <div ref={scroll} tabIndex={0} role="log" aria-label="Messages" aria-live="polite" className="min-h-0 flex-1 overflow-auto focus-visible:-outline-offset-2">
          <div className="mx-auto grid max-w-[768px] gap-4 px-6 py-5 max-tab:px-4">
            <div className="flex items-center gap-2">
              <Link to="/chat" className="tab:hidden" aria-label="All sessions">
                <ArrowLeft size={16} aria-hidden />
              </Link>
              <h1 className="text-lg break-words">{visible(title)}</h1>
            </div>
            {error !== undefined && <ProblemView error={error} />}
            {!loaded && error === undefined && <Skeleton rows={3} />}
            {loaded && state.items.length === 0 && <p className="text-muted">Ask a question. Calls that need approval wait for your decision.</p>}
            {state.items.map((item) => (
              <ItemView key={item.id} item={item} sessionId={id} pause={state.pause} />
            ))}
            <div ref={end} />
          </div>
        </div>
        {state.pause && <Dock pause={state.pause} />}
        <Composer sessionId={id} running={state.running} runId={session?.active_run ?? undefined} />
      </div>
      <RunSide sessionId={id} session={session} items={state.items} used={state.used} />
    </div>
  );
}

function ItemView({ item, sessionId, pause }: { item: Item; sessionId: string; pause: Pause | undefined }) {
  switch (item.kind) {
    case 'message':
      if (item.role === 'user') return <div className="max-w-[85%] justify-self-end rounded-3 bg-selected px-4 py-2.5 text-md break-words whitespace-pre-wrap">{visible(item.text)}</div>;
      // Text that is being written is not parsed, so that it never reflows.
      return item.streaming ? (
        <div className="text-md break-words whitespace-pre-wrap">{visible(item.text)}</div>
      ) : (
        <Suspense fallback={<div className="text-md whitespace-pre-wrap">{visible(item.text)}</div>}>
          <GuestMarkdown text={visible(item.text)} />
        </Suspense>
      );
    case 'tool':
      return <ToolCard item={item} />;
    case 'surface':
      return <SessionSurface sessionId={sessionId} name={item.surface} pause={pause} />;
    case 'end':
      return (
        <Callout tone={item.status === 'cancelled' ? 'idle' : 'wait'} icon={TriangleAlert}>
          <b className="font-medium">The run ended: {item.status.replaceAll('_', ' ')}.</b> {item.reason ? visible(item.reason) : ''}
        </Callout>
      );
  }
}

/** What the run waits for, in the frame of the host: never inside the conversation. */
function Dock({ pause }: { pause: Pause }) {
  const now = useNow();
  const online = useOnline();
  const answer = useMutation({ mutationFn: (decision: 'approve' | 'deny') => agent.answer(pause, decision), onError: (error) => toast(error.message) });
  return (
    <section aria-label="Waiting for you" className="tone-wait mx-auto mb-2 w-[calc(100%-48px)] max-w-[720px] overflow-hidden rounded-3 border border-wait-line bg-surface max-tab:w-[calc(100%-32px)]">
      <div className="seal" aria-hidden />
      <div className="flex flex-wrap items-center gap-3 px-4 py-2.5">
        <Hand size={16} aria-hidden className="flex-none text-wait" />
        <span className="min-w-0 flex-1 basis-52 break-words">
          <b className="font-medium">{pause.kind === 'approval' ? '1 call needs your approval' : pause.kind === 'form' ? 'A form waits for your input' : 'The agent asks'}</b>
          <span className="text-muted"> · {visible(pause.question)}</span>
        </span>
        <span className="num text-xs text-muted">{countdown(pause.expires_ms - now)} left</span>
        {pause.kind === 'approval' && pause.approval_id && (
          <Link to="/approvals/$approval" params={{ approval: pause.approval_id }} className="btn" data-kind="primary" data-small>
            Review
          </Link>
        )}
        {pause.kind === 'form' && (
          <Button small disabled={!online || answer.isPending} onClick={() => answer.mutate('deny')}>
            Cancel
          </Button>
        )}
        {pause.kind === 'question' && (
          <>
            <Button small kind="primary" disabled={!online || answer.isPending} onClick={() => answer.mutate('deny')}>
              No
            </Button>
            <Button small disabled={!online || answer.isPending} onClick={() => answer.mutate('approve')}>
              Yes
            </Button>
          </>
        )}
      </div>
    </section>
  );
}

const draftKey = (session: string): string => `palyra.message.${session}`;

function Composer({ sessionId, running, runId }: { sessionId: string; running: boolean; runId: string | undefined }) {
  const online = useOnline();
  const queryClient = useQueryClient();
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey(sessionId)) ?? '');
  const keep = (next: string): void => {
    setText(next);
    sessionStorage.setItem(draftKey(sessionId), next);
  };
  const say = useMutation({
    mutationFn: () => agent.say(sessionId, text),
    // What was typed is kept until the daemon has it.
    onSuccess() {
      keep('');
      void queryClient.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  const stop = useMutation({ mutationFn: agent.stop, onSuccess: () => toast('Stopped'), onError: (error) => toast(error.message) });
  const canSend = online && !running && !say.isPending && text.trim() !== '';
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (canSend) say.mutate();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      submit();
    }
  };
  return (
    <form onSubmit={submit} className="mx-auto w-full max-w-[768px] px-6 pb-4 max-tab:px-4">
      {say.isError && (
        <div className="mb-2">
          <ProblemView error={say.error} untouched="Your message is kept." />
        </div>
      )}
      <div className="rounded-3 border border-control bg-surface p-2 focus-within:border-accent">
        <textarea
          aria-label="Message"
          placeholder="Ask a question"
          className="block min-h-11 w-full resize-none bg-transparent px-2 py-1.5 text-md focus-visible:outline-none max-tab:text-lg"
          rows={Math.min(8, text.split('\n').length)}
          value={text}
          onChange={(event) => keep(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div className="flex items-center gap-2">
          <span className="flex-1 px-2 text-xs text-subtle max-tab:invisible">{online ? 'Enter sends, Shift Enter starts a new line' : 'Kept until the daemon answers again'}</span>
          {running && runId && (
            <Button small disabled={!online || stop.isPending} onClick={() => stop.mutate(runId)}>
              <OctagonX size={14} aria-hidden />
              Stop
            </Button>
          )}
          <Button type="submit" kind="primary" small square aria-label="Send" disabled={!canSend}>
            <ArrowUp size={15} aria-hidden />
          </Button>
        </div>
      </div>
    </form>
  );
}
