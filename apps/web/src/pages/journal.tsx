import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { BadgeCheck, CircleCheck, CircleX, ScrollText } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { useLiveList } from '@/api/live-list';
import { useOnline } from '@/api/use-connection';
import { clock, count, exact, short, visible } from '@/lib/format';
import { fromHex, rootOf } from '@/lib/merkle';
import { useRowKeys } from '@/lib/rows';
import { ActionButton } from '@/ui/action';
import { Button } from '@/ui/button';
import { Chips } from '@/ui/chips';
import { CopyAs } from '@/ui/copy-as';
import { CopyButton } from '@/ui/copy';
import { Field } from '@/ui/field';
import { Json } from '@/ui/json';
import { PageHead } from '@/ui/page';
import { SearchField } from '@/ui/search-field';
import { State } from '@/ui/state';
import { Blank, ProblemView, QueryView } from '@/ui/states';
import { toast } from '@/ui/toast';

type Event = Schemas['Event'];

const PAGE = 200;
const ROW = 41;
/** Kinds of each area, because the journal is searched by whole kinds. */
const AREAS = {
  all: undefined,
  run: 'run:started,run:completed,run:failed,run:refused',
  skill: 'skill:installed,skill:updated,skill:consented,skill:awaiting_consent,skill:quarantined,skill:enabled,skill:disabled,skill:removed,skill:rolled_back,skill:refused,skill:audited,skill:verified',
  approval: 'approval:requested,approval:decided',
  trust: 'trust:allowed,trust:blocked,trust:unblocked,trust:pinned,trust:repinned,trust:rotated,trust:revoked,trust:mismatch,trust:equivocation,trust:feed_applied',
  access: 'access:refused,token:added,token:removed',
} as const;
type Area = keyof typeof AREAS;

export default function Journal() {
  const { seq } = useParams({ strict: false });
  const [area, setArea] = useState<Area>('all');
  const [skill, setSkill] = useState('');
  const list = useLiveList({
    queryKey: ['journal', 'list', area, skill.trim()],
    async read(before: number | undefined) {
      const query = {
        newest_first: true,
        limit: PAGE,
        ...(before === undefined ? {} : { before }),
        ...(AREAS[area] === undefined ? {} : { kinds: AREAS[area] }),
        ...(skill.trim() === '' ? {} : { skill: skill.trim() }),
      };
      const page = await unwrap(client.GET('/v1/journal', { params: { query } }));
      return { rows: page.events, next: page.next_before ?? undefined, head: page.head };
    },
    idOf: ({ sequence }: Event) => sequence,
  });
  const head = list.head.data?.head;
  return (
    <div className="page flex h-full flex-col max-tab:h-auto">
      <PageHead
        title={head ? `${count(head.size)} events` : 'Journal'}
        text="Append-only record of runs, approvals, skills, trust and access. Every event is a leaf of one Merkle tree."
        actions={
          <>
            <CopyAs action={{ palyra: ['journal', 'tail'], path: '/v1/journal?newest_first=true' }} />
            <SignCheckpoint />
          </>
        }
      />
      {head && <Verify head={head} />}
      <div className="mt-5 mb-3 flex flex-wrap items-center gap-3">
        <SearchField label="Skill" placeholder="Skill, as in acme.notes" value={skill} onChange={setSkill} />
        <Chips label="Area" value={area} onChange={setArea} choices={(Object.keys(AREAS) as Area[]).map((id) => ({ id, label: id === 'all' ? 'All' : id }))} />
      </div>
      <QueryView query={list.head}>
        {() => (
            <div className={`grid min-h-[300px] flex-1 gap-5 ${seq ? 'grid-cols-[minmax(0,1fr)_minmax(300px,420px)] max-icon:grid-cols-1' : ''}`}>
              {list.rows.length === 0 ? (
                <div className="panel"><Blank icon={ScrollText} title="No event matches" text="Change the filter." /></div>
              ) : (
                <EventList list={list} selected={seq} />
              )}
              {seq && <EventDetail key={seq} sequence={Number(seq)} />}
            </div>
        )}
      </QueryView>
    </div>
  );
}

const GRID = 'grid grid-cols-[76px_minmax(0,1.2fr)_minmax(0,1fr)_minmax(0,1.4fr)_76px] items-center gap-3 max-tab:grid-cols-[76px_minmax(0,1fr)_76px]';

interface ListProps {
  list: ReturnType<typeof useLiveList<Event, number>>;
  selected: string | undefined;
}

function EventList({ list: { rows: events, hasMore, isLoading, loadMore, hasNewer, showNewer }, selected }: ListProps) {
  useRowKeys();
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: events.length, getScrollElement: () => scroll.current, estimateSize: () => ROW, overscan: 12 });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoading && last >= events.length - 20) loadMore();
  });
  return (
    <div role="table" aria-label="Events" aria-rowcount={hasMore ? -1 : events.length + 1} className="panel flex min-h-[300px] flex-col overflow-hidden max-tab:h-[60vh]">
      <div role="rowgroup" className="border-b px-4 max-tab:hidden">
        <div role="row" className={`${GRID} h-8 text-xs text-subtle`}>
          <span role="columnheader" className="text-right">Entry</span>
          <span role="columnheader">Kind</span>
          <span role="columnheader">Actor</span>
          <span role="columnheader">Subject</span>
          <span role="columnheader" className="text-right">Time</span>
        </div>
      </div>
      <div ref={scroll} role="rowgroup" tabIndex={0} aria-label="Rows" className="min-h-0 flex-1 overflow-auto">
        <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start, size }) => {
            const event = events[index];
            if (!event) return null;
            return (
              <div
                key={event.sequence}
                role="row"
                data-row
                aria-rowindex={index + 2}
                className={`${GRID} absolute inset-x-0 top-0 border-b px-4 ${String(event.sequence) === selected ? 'bg-selected shadow-[inset_2px_0_0_var(--color-accent)]' : 'hover:bg-hover'}`}
                style={{ height: size, transform: `translateY(${start}px)` }}
              >
                <span role="cell" className="text-right">
                  <Link to="/journal/$seq" params={{ seq: String(event.sequence) }} className="ledger">
                    {count(event.sequence)}
                  </Link>
                </span>
                <span role="cell" className="fact clip">{event.kind}</span>
                <span role="cell" className="clip text-muted max-tab:hidden">{visible(event.actor ?? '')}</span>
                <span role="cell" className="clip text-muted max-tab:hidden">{visible(event.subject ?? event.skill ?? '')}</span>
                <span role="cell" className="num text-right text-muted" title={exact(event.at_ms)}>{clock(event.at_ms)}</span>
              </div>
            );
          })}
        </div>
      </div>
      {hasNewer && (
        <div role="presentation" className="panel-foot">
          <Button
            small
            onClick={() => {
              scroll.current?.scrollTo(0, 0);
              showNewer();
            }}
          >
            Show new events
          </Button>
        </div>
      )}
    </div>
  );
}

function EventDetail({ sequence }: { sequence: number }) {
  const event = useQuery({
    queryKey: ['journal-event', sequence],
    queryFn: () => unwrap(client.GET('/v1/journal', { params: { query: { from: sequence, limit: 1, proofs: true } } })),
    staleTime: Infinity,
  });
  return (
    <aside aria-label={`Event ${count(sequence)}`} className="panel min-w-0 self-start">
      <QueryView query={event}>
        {({ events: [found], head }) =>
          !found || found.sequence !== sequence ? (
            <Blank icon={ScrollText} title={`Event #${count(sequence)} is not in the journal`} text="It is archived, or the journal is shorter." />
          ) : (
            <>
              <div className="panel-head">
                <h2 className="fact">#{count(sequence)}</h2>
                <span className="fact text-muted">{found.kind}</span>
                <span className="ml-auto">
                  <Proof event={found} />
                </span>
              </div>
              <dl className="kv px-4 py-3 text-xs">
                <dt>Time</dt>
                <dd>{exact(found.at_ms)}</dd>
                {found.actor && (<><dt>Actor</dt><dd>{visible(found.actor)}</dd></>)}
                {found.skill && (<><dt>Skill</dt><dd><Link to="/skills/$skill" params={{ skill: found.skill }} className="fact link">{found.skill}</Link></dd></>)}
                {found.run && (<><dt>Run</dt><dd><Link to="/runs/$run" params={{ run: found.run }} className="fact link">{short(found.run, 12, 4)}</Link></dd></>)}
                {found.subject && (<><dt>Subject</dt><dd className="fact">{visible(found.subject)}</dd></>)}
                <dt>Leaf</dt>
                <dd className="flex items-center gap-1 fact">{short(found.hash)} <CopyButton text={found.hash} label="Copy leaf hash" /></dd>
                <dt>Root</dt>
                <dd className="fact">{short(head.root)} of {count(head.size)}</dd>
              </dl>
              <Json value={found.details} label="Details" className="m-0 rounded-none border-x-0" />
              <p className="px-4 py-2 text-xs text-subtle">Secrets are redacted before an event is encoded. Inputs, outputs and tapes are stored as digests.</p>
            </>
          )
        }
      </QueryView>
    </aside>
  );
}

function Proof({ event }: { event: Event }) {
  const [result, setResult] = useState<boolean>();
  const { proof } = event;
  if (!proof) return null;
  if (result !== undefined) return <State look={{ tone: result ? 'ok' : 'bad', icon: result ? CircleCheck : CircleX, word: result ? `${proof.path.length} hashes, verified` : 'the proof does not hold' }} />;
  return (
    <Button small onClick={() => void rootOf(fromHex(event.hash), proof.sequence, proof.head.size, proof.path).then((root) => setResult(root === proof.head.root))}>
      <BadgeCheck size={14} aria-hidden />
      Check proof
    </Button>
  );
}

function Verify({ head }: { head: Schemas['TreeHead'] }) {
  const online = useOnline();
  const [against, setAgainst] = useState<string>();
  const verify = useMutation({
    mutationFn: (note: string | null) => unwrap(client.POST('/v1/journal/verify', { body: { against: note } })),
  });
  return (
    <section className="panel overflow-hidden" aria-label="Verification">
      <div className={`seal tone-${verify.isError ? 'bad' : verify.data ? 'ok' : 'idle'}`} aria-hidden />
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3 px-4 py-3">
        <div className="min-w-0 flex-1 basis-60">
          {verify.data ? (
            <>
              <State quiet={false} look={{ tone: 'ok', icon: CircleCheck, word: verify.data.against != null ? 'Consistent with the other checkpoint' : 'Every event is unchanged' }} />
              <p className="text-muted">
                {count(verify.data.events_checked)} events, {count(verify.data.checkpoints_checked)} checkpoints and {count(verify.data.runs_checked ?? 0)} runs checked.
              </p>
            </>
          ) : (
            <p className="text-muted">Store a checkpoint elsewhere to detect changes to earlier events, even by someone who has the signing key.</p>
          )}
        </div>
        <dl className="kv text-xs">
          <dt>Events</dt>
          <dd className="num">{count(head.size)}</dd>
          <dt>Root</dt>
          <dd className="fact">{short(head.root)}</dd>
        </dl>
        <div className="flex flex-wrap gap-2">
          <Button kind="primary" disabled={!online || verify.isPending} onClick={() => verify.mutate(null)}>
            {verify.isPending ? 'Verifying' : 'Verify all events'}
          </Button>
          <ActionButton
            label="Compare…"
            title="Compare with a checkpoint stored elsewhere"
            text="Paste the note of an earlier checkpoint. The journal must contain everything that the note covers, unchanged."
            confirm="Compare"
            ready={against !== undefined && against.trim() !== ''}
            command={{ palyra: ['journal', 'verify', '--against', 'FILE'] }}
            run={() => verify.mutateAsync(`${(against ?? '').trim()}\n`)}
            done="Consistent with the checkpoint"
            refresh={[]}
          >
            <Field label="Checkpoint note" required>
              {(control) => <textarea {...control} className="input fact min-h-32" spellCheck={false} value={against ?? ''} onChange={(event) => setAgainst(event.target.value)} data-autofocus />}
            </Field>
          </ActionButton>
        </div>
      </div>
      {verify.isError && (
        <div className="border-t p-4">
          <ProblemView error={verify.error} untouched="Nothing was repaired." />
        </div>
      )}
    </section>
  );
}

function SignCheckpoint() {
  const online = useOnline();
  const sign = useMutation({
    mutationFn: () => unwrap(client.POST('/v1/journal/checkpoint')),
    onSuccess: ({ head }) => toast(`Checkpoint of ${count(head.size)} events signed`),
    onError: (error) => toast(error.message),
  });
  const url = useMemo(() => (sign.data ? URL.createObjectURL(new Blob([sign.data.note], { type: 'text/plain' })) : undefined), [sign.data]);
  useEffect(() => () => { if (url) URL.revokeObjectURL(url); }, [url]);
  return url ? (
    <a className="btn" href={url} download="checkpoint.txt">
      Save checkpoint
    </a>
  ) : (
    <Button disabled={!online || sign.isPending} onClick={() => sign.mutate()}>
      <BadgeCheck size={15} aria-hidden />
      Sign checkpoint
    </Button>
  );
}

