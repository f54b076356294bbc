import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeft, TriangleAlert } from 'lucide-react';
import { lazy, memo, Suspense, useEffect, useRef, useState } from 'react';
import { agent, type Pause } from '@/api/agent';
import type { Item } from '@/domain/conversation';
import { plural, visible } from '@/lib/format';
import { Button } from '@/ui/button';
import { useTitle } from '@/ui/page';
import { Callout } from '@/ui/state';
import { ProblemView, Skeleton } from '@/ui/states';
import { Composer } from './composer';
import { Dock } from './dock';
import { RunSide } from './run-side';
import { SessionMenu } from './session-menu';
import { SessionSurface } from './session-surface';
import { ToolCard } from './tool-card';
import { useConversation } from './use-conversation';

const GuestMarkdown = lazy(() => import('@/ui/guest-markdown'));

/** Items that are on the page at first; earlier ones are added on request. */
const SHOWN = 80;
/** The stream is followed while its end is this close to the view, in pixels. */
const NEAR = 160;

export function Conversation({ id }: { id: string }) {
  const { state, error, loaded, retry } = useConversation(id);
  const session = useQuery(agent.session(id)).data;
  const [shown, setShown] = useState(SHOWN);
  const content = useRef<HTMLDivElement>(null);
  const scroll = useRef<HTMLDivElement>(null);
  const title = session?.title || 'New session';
  useTitle(title);

  // Surfaces and markdown get their size after the event that shows them.
  const follow = useRef(true);
  useEffect(() => {
    const inner = content.current;
    if (!inner) return;
    const observer = new ResizeObserver(() => {
      if (follow.current) scroll.current?.scrollTo(0, scroll.current.scrollHeight);
    });
    observer.observe(inner);
    return () => observer.disconnect();
  }, []);

  const hidden = Math.max(0, state.items.length - shown);
  const showForm = (): void => {
    follow.current = false;
    const form = scroll.current?.querySelector<HTMLElement>(`[data-surface="${CSS.escape(state.pause?.surface ?? '')}"]`);
    form?.scrollIntoView({ block: 'start' });
    form?.querySelector<HTMLElement>('form :is(input, select, textarea, button):not(:disabled)')?.focus({ preventScroll: true });
  };

  return (
    <div className="grid h-full min-h-0 grid-cols-[minmax(0,1fr)_268px] max-wide:grid-cols-1">
      <div className="flex min-h-0 min-w-0 flex-col">
        <header className="flex items-center gap-2 border-b py-2.5 pr-3 pl-6 max-tab:pl-4">
          <Link to="/chat" className="tab:hidden" aria-label="All sessions">
            <ArrowLeft size={16} aria-hidden />
          </Link>
          <h1 className="clip flex-1 text-md">{visible(title)}</h1>
          {session && <SessionMenu session={session} />}
        </header>
        <div
          ref={scroll}
          tabIndex={0}
          role="log"
          aria-label="Messages"
          aria-live="polite"
          onScroll={({ currentTarget: view }) => {
            follow.current = view.scrollHeight - view.scrollTop - view.clientHeight < NEAR;
          }}
          className="min-h-0 flex-1 overflow-auto focus-visible:-outline-offset-2"
        >
          <div ref={content} className="mx-auto grid max-w-[768px] gap-4 px-6 py-5 max-tab:px-4">
            {error !== undefined && <ProblemView error={error} onRetry={retry} />}
            {!loaded && error === undefined && <Skeleton rows={3} />}
            {loaded && state.items.length === 0 && <p className="text-muted">Ask a question. Calls that need approval wait for your decision.</p>}
            {hidden > 0 && (
              <Button small className="justify-self-center" onClick={() => setShown((known) => known + SHOWN)}>
                Show earlier, {plural(hidden, 'item')}
              </Button>
            )}
            {state.items.slice(hidden).map((item, i, items) => (
              <ItemView key={item.id} item={item} sessionId={id} pause={item.kind === 'surface' && state.pause?.surface === item.surface ? state.pause : undefined} isResult={isResult(items, i)} />
            ))}
          </div>
        </div>
        {state.pause && <Dock pause={state.pause} onShowForm={showForm} />}
        <Composer sessionId={id} session={session} run={state.run} />
      </div>
      <RunSide sessionId={id} session={session} state={state} />
    </div>
  );
}

/** Whether a call is the last thing that its run did, so that its output is the answer. */
function isResult(items: readonly Item[], at: number): boolean {
  const [item, next] = [items[at], items[at + 1]];
  return item?.kind === 'tool' && (next === undefined || next.kind === 'end' || (next.kind === 'message' && next.role === 'user'));
}

interface ItemProps {
  item: Item;
  sessionId: string;
  /** The pause that waits for this item. */
  pause: Pause | undefined;
  isResult: boolean;
}

const ItemView = memo(function ItemView({ item, sessionId, pause, isResult: result }: ItemProps) {
  switch (item.kind) {
    case 'message':
      if (item.role === 'user') return <div className="max-w-[85%] justify-self-end rounded-3 bg-selected px-4 py-2.5 text-md break-words whitespace-pre-wrap">{visible(item.text)}</div>;
      // Text that is being written is not parsed, so that it never reflows.
      if (item.bytes !== undefined) return <PlainText text={item.text} />;
      return (
        <Suspense fallback={<PlainText text={item.text} />}>
          <GuestMarkdown text={visible(item.text)} />
        </Suspense>
      );
    case 'tool':
      return <ToolCard item={item} isResult={result} />;
    case 'surface':
      return <SessionSurface sessionId={sessionId} name={item.surface} pause={pause} />;
    case 'end':
      return (
        <Callout tone={item.status === 'cancelled' ? 'idle' : 'wait'} icon={TriangleAlert}>
          <b className="font-medium">The run ended: {item.status.replaceAll('_', ' ')}.</b> {item.reason ? visible(item.reason) : ''}
        </Callout>
      );
  }
});

const PlainText = ({ text }: { text: string }) => <div className="text-md break-words whitespace-pre-wrap">{visible(text)}</div>;
