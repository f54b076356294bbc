import { useMutation } from '@tanstack/react-query';
import { Check, CircleCheck, CircleX, Disc3, RotateCcw, X } from 'lucide-react';
import { client, type Schemas, unwrap } from '@/api/client';
import { useOnline } from '@/api/use-connection';
import type { RunDetails } from '@/domain/run-details';
import type { Tape } from '@/domain/tape';
import { bytes, count, micros, visible } from '@/lib/format';
import { Button } from '@/ui/button';
import { Command } from '@/ui/copy';
import { State } from '@/ui/state';
import { Blank, ProblemView } from '@/ui/states';

interface Props {
  run: Schemas['RunInfo'];
  details: RunDetails;
  tape: Tape | undefined;
}

/** Runs the guest again from its tape, and shows the verdict first. */
export function Replay({ run, details, tape }: Props) {
  const online = useOnline();
  const replay = useMutation({
    mutationFn: () => unwrap(client.POST('/v1/runs/{run_id}/replay', { params: { path: { run_id: run.run_id } } })),
  });
  const go = (
    <Button {...(replay.data ? {} : { kind: 'primary' as const })} disabled={!online || replay.isPending || run.tape == null} onClick={() => replay.mutate()}>
      <RotateCcw size={15} aria-hidden />
      {replay.isPending ? 'Replaying' : replay.data ? 'Replay again' : 'Replay now'}
    </Button>
  );
  return (
    <div aria-live="polite">
      {replay.isError && <div className="p-4"><ProblemView error={replay.error} untouched="A replay has no external effects." onRetry={() => replay.mutate()} /></div>}
      {!replay.data && !replay.isError && (
        <Blank
          icon={Disc3}
          title="Replay this run from its tape"
          text={run.tape == null ? 'The tape of this run is not kept, so it cannot be replayed.' : 'Replay has no access to the network, storage or clock. Each guest step is compared with the recording.'}
          action={run.tape == null ? undefined : go}
        />
      )}
      {replay.data && <Verdict answer={replay.data} details={details} tape={tape} run={run} again={go} />}
      <div className="px-4 pb-4">
        <Command line={`palyra runs replay ${run.run_id}`} />
      </div>
    </div>
  );
}

interface VerdictProps {
  answer: Schemas['ReplayAnswer'];
  run: Schemas['RunInfo'];
  details: RunDetails;
  tape: Tape | undefined;
  again: React.ReactNode;
}

function Verdict({ answer, run, details, tape, again }: VerdictProps) {
  const { verdict, usage } = answer;
  const diverged = verdict.verdict === 'diverged' ? verdict : undefined;
  const Icon = diverged ? CircleX : CircleCheck;
  const output = answer.output === null ? 'none' : JSON.stringify(answer.output);
  const rows: { name: string; recorded: string; replayed: string; compare: boolean }[] = [
    { name: 'Outcome', recorded: run.error ?? 'ok', replayed: answer.error ?? 'ok', compare: true },
    { name: 'Output', recorded: tape?.output ?? 'none', replayed: output, compare: true },
    { name: 'Fuel', recorded: count(details.fuel ?? 0), replayed: count(usage.fuel), compare: true },
    { name: 'Host calls', recorded: count(details.host_calls ?? 0), replayed: count(usage.host_calls), compare: false },
    { name: 'Peak memory', recorded: bytes(details.peak_memory_bytes ?? 0), replayed: bytes(usage.peak_memory_bytes), compare: false },
    { name: 'Time', recorded: micros(details.elapsed_us ?? 0), replayed: micros(usage.elapsed_us), compare: false },
  ];
  return (
    <>
      <div className={`tone-${diverged ? 'bad' : 'ok'} flex flex-wrap items-start gap-3 border-b border-[var(--tone-line)] bg-[var(--tone-soft)] px-4 py-3`}>
        <Icon size={20} aria-hidden className="mt-0.5 flex-none text-[var(--tone)]" />
        <div className="min-w-0 flex-1 basis-52">
          <h2>{diverged ? `Diverged at step ${diverged.step}` : verdict.verdict === 'identical' ? 'Identical' : 'Same prefix'}</h2>
          <p className="text-muted">
            {diverged
              ? `The ${diverged.what} differs from the tape.`
              : verdict.verdict === 'identical'
                ? 'Steps, outcome, output and fuel match exactly.'
                : 'The recorded run was ended by time or cancellation. Everything up to that point matches.'}
          </p>
        </div>
        {again}
      </div>
      {diverged && (
        <div className="grid grid-cols-2 gap-4 border-b p-4 max-tab:grid-cols-1">
          <div className="min-w-0">
            <h2 className="mb-1.5">Recorded at step {diverged.step}</h2>
            <pre className="code" tabIndex={0}>{visible(diverged.expected)}</pre>
          </div>
          <div className="min-w-0">
            <h2 className="mb-1.5">Replayed at step {diverged.step}</h2>
            <pre className="code" tabIndex={0}>{visible(diverged.found)}</pre>
          </div>
        </div>
      )}
      <table className="table stack">
        <thead>
          <tr>
            <th>Value</th>
            <th>Recorded</th>
            <th>Replayed</th>
            <th className="end">Compared</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, recorded, replayed, compare }) => (
            <tr key={name}>
              <td className="text-muted">{name}</td>
              <td data-label="Recorded" className="fact"><span className="line-clamp-3">{visible(recorded)}</span></td>
              <td data-label="Replayed" className="fact"><span className="line-clamp-3">{visible(replayed)}</span></td>
              <td data-label="Compared" className="end">
                {!compare ? (
                  <span className="text-xs text-subtle">not compared</span>
                ) : recorded === replayed ? (
                  <State look={{ tone: 'ok', icon: Check, word: 'equal' }} />
                ) : (
                  <State look={{ tone: 'bad', icon: X, word: 'differs' }} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
