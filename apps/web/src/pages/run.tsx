import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { OctagonX, RotateCcw, TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { queries } from '@/api/queries';
import { useOnline } from '@/api/use-connection';
import { detailsOf } from '@/domain/run-details';
import { runTitle } from '@/domain/run-title';
import { runLook } from '@/domain/status';
import { readTape } from '@/domain/tape';
import { exact, short, shortRun } from '@/lib/format';
import { ActionButton } from '@/ui/action';
import { CopyAs } from '@/ui/copy-as';
import { CopyButton } from '@/ui/copy';
import { Ledger } from '@/ui/ledger';
import { KeyValues, PageHead, Section } from '@/ui/page';
import { Badge, Callout } from '@/ui/state';
import { QueryView } from '@/ui/states';
import { Tabs } from '@/ui/tabs';
import { Grants } from './run/grants';
import { InputOutput } from './run/input-output';
import { Log } from './run/log';
import { Meters } from './run/meters';
import { Receipt } from './run/receipt';
import { Replay } from './run/replay';
import { Timeline } from './run/timeline';
import { WhyDenied } from './run/why-denied';

export default function RunPage() {
  const { run: id = '', tab = 'timeline' } = useParams({ strict: false });
  const run = useQuery(queries.run(id));
  return (
    <div className="page">
      <QueryView page query={run}>{(data) => <RunView run={data} tab={tab} />}</QueryView>
    </div>
  );
}

function RunView({ run, tab }: { run: Schemas['RunInfo']; tab: string }) {
  const online = useOnline();
  const live = run.status === 'started';
  const denied = run.error === 'capability_denied';
  const tapeText = useQuery({ ...queries.tape(run.run_id), enabled: run.tape != null });
  const tape = useMemo(() => (tapeText.data === undefined ? undefined : readTape(tapeText.data)), [tapeText.data]);
  const details = useMemo(() => detailsOf(run.details), [run.details]);
  const to = (next: string) => ({ to: '/runs/$run/$tab' as const, params: { run: run.run_id, tab: next } });
  return (
    <>
      <PageHead
        title={runTitle(run)}
        above={
          <>
            <Badge look={runLook(run.status)} />
            {run.error && <span className="tag">{run.error}</span>}
            {run.receipt_leaf != null && (
              <span className="text-xs text-subtle">
                receipt <Ledger event={run.receipt_leaf} />
              </span>
            )}
          </>
        }
        text={
          <span className="flex flex-wrap items-center gap-x-3">
            <Link to="/skills/$skill" params={{ skill: run.skill_id }} className="fact hover:underline">
              {run.tool_id}
            </Link>
            {details.version && <span>{details.version}</span>}
            <span>as {run.principal ?? 'unknown'}</span>
            <span className="num">{exact(run.started_ms)}</span>
            <span className="inline-flex items-center">
              <span className="fact text-subtle">{shortRun(run.run_id)}</span>
              <CopyButton text={run.run_id} label="Copy run ID" />
            </span>
          </span>
        }
        actions={
          <>
            {live ? (
              <ActionButton
                kind="danger"
                danger
                icon={OctagonX}
                label="Cancel…"
                title="Cancel this run?"
                text="The guest stops at its next step and the run gets a receipt. External effects that already happened are not undone."
                confirm="Cancel run"
                command={{ palyra: ['runs', 'cancel', run.run_id] }}
                run={() => unwrap(client.POST('/v1/runs/{run_id}/cancel', { params: { path: { run_id: run.run_id } } }))}
                records="run:failed"
                done="Run cancelled, receipt recorded"
                refresh={[['runs']]}
              />
            ) : (
              run.tape != null &&
              tab !== 'replay' && (
                <Link {...to('replay')} className="btn" data-kind={denied ? undefined : 'primary'} aria-disabled={!online}>
                  <RotateCcw size={15} aria-hidden />
                  Replay
                </Link>
              )
            )}
            <CopyAs action={{ palyra: ['runs', 'show', run.run_id], path: `/v1/runs/${run.run_id}` }} />
          </>
        }
      />
      {(run.differs?.length ?? 0) > 0 && (
        <Callout tone="bad" icon={TriangleAlert} className="mb-4">
          <b className="font-medium">This row differs from its receipt.</b> Another program changed <span className="fact">{run.differs?.join(', ')}</span> in the database. The receipt is authoritative.
        </Callout>
      )}
      {denied && tab !== 'replay' && <WhyDenied run={run} />}
      <Meters run={run} details={details} tape={tape} />
      <div className="main-side">
        <div className="panel min-w-0">
          <div className="px-4">
            <Tabs
              label="Run"
              current={tab}
              tabs={[
                { id: 'timeline', label: 'Timeline', count: details.host_calls, link: to('timeline') },
                { id: 'log', label: 'Log', link: to('log') },
                { id: 'io', label: 'Input and output', link: to('io') },
                { id: 'grants', label: 'Grants', link: to('grants') },
                { id: 'replay', label: 'Replay', link: to('replay') },
              ]}
            />
          </div>
          {tab === 'log' ? (
            <Log runId={run.run_id} live={live} />
          ) : tab === 'io' ? (
            <InputOutput tape={tape} details={details} failed={run.error ?? undefined} toolId={run.tool_id} skillId={run.skill_id} />
          ) : tab === 'grants' ? (
            <Grants grants={tape?.grants} capabilities={details.capabilities} skillId={run.skill_id} />
          ) : tab === 'replay' ? (
            <Replay run={run} details={details} tape={tape} />
          ) : (
            <Timeline runId={run.run_id} live={live} recorded={run.tape != null} error={run.error ?? undefined} />
          )}
        </div>
        <aside aria-label="Receipt and details" className="grid min-w-0 gap-5">
          {run.receipt_leaf != null && <Receipt runId={run.run_id} />}
          <Section title="Details">
            <KeyValues
              rows={[
                run.session != null && ['Session', <span key="s" className="fact">{run.session}</span>],
                ['Release', <span key="r" className="fact">{short(run.payload)}</span>],
                run.tape != null && ['Tape', <span key="t" className="fact">{short(run.tape)}</span>],
                ['Approval', details.approval ? <Link key="a" to="/approvals/$approval" params={{ approval: details.approval }} className="link">{short(details.approval, 12, 4)}</Link> : 'not required'],
                tape?.engine !== undefined && ['Engine', <span key="e" className="fact">{tape.engine}</span>],
                details.ended_by !== undefined && ['Ended by', details.ended_by],
              ]}
            />
          </Section>
        </aside>
      </div>
    </>
  );
}
