import { useQuery } from '@tanstack/react-query';
import { BadgeCheck, Check, CircleX, Download } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { queries } from '@/api/queries';
import { count, plural, short } from '@/lib/format';
import { fromHex, hex, leafHash, readCheckpoint, rootOf, verifySignature } from '@/lib/merkle';
import { Button } from '@/ui/button';
import { Command } from '@/ui/copy';
import { ProblemView } from '@/ui/states';

type State = 'open' | 'passed' | 'failed' | 'unsupported';
interface Result {
  readonly path: State;
  readonly root: State;
  readonly checkpoint: State;
}

const OPEN: Result = { path: 'open', root: 'open', checkpoint: 'open' };

/** Leaf, path, root and checkpoint of a run. Verify checks them in this browser, not in the daemon. */
export function Receipt({ runId }: { runId: string }) {
  const receipt = useQuery(queries.receipt(runId));
  const [result, setResult] = useState<Result>(OPEN);
  if (receipt.isError) return <ProblemView error={receipt.error} onRetry={() => void receipt.refetch()} />;
  if (!receipt.data) return null;
  const { proof, leaf, checkpoint } = receipt.data.receipt;
  const note = readCheckpoint(checkpoint);
  const failed = Object.values(result).includes('failed');
  const done = Object.values(result).every((state) => state === 'passed');
  return (
    <section className="panel overflow-hidden" aria-label="Receipt">
      <div className={`seal tone-${failed ? 'bad' : done ? 'ok' : 'idle'}`} aria-hidden />
      <div className="flex items-center gap-2 py-2.5 pr-2.5 pl-4">
        <h2 className="flex-1 text-sm">Receipt</h2>
        <Button small onClick={() => void verify(receipt.data).then(setResult)}>
          <BadgeCheck size={14} aria-hidden />
          Verify
        </Button>
      </div>
      <ol className="grid gap-3 px-4 pb-3.5" aria-live="polite">
        <Item name="Leaf" note={`#${count(proof.sequence)}`} state={result.path} text="input, output, tape, cost and capabilities used">
          <LeafHash leaf={leaf} />
        </Item>
        <Item name="Path" note={plural(proof.path.length, 'hash', 'hashes')} state={result.path} text="inclusion proof, RFC 6962">
          {proof.path[0] ? short(proof.path[0]) : 'none needed'}
        </Item>
        <Item name="Root" note={`of ${plural(proof.head.size, 'event')}`} state={result.root} text="commits to all events in order">
          {short(proof.head.root)}
        </Item>
        <Item name="Checkpoint" note="" state={result.checkpoint} text={result.checkpoint === 'unsupported' ? 'this browser cannot check Ed25519 signatures' : 'Ed25519, key of this machine'}>
          {note?.origin ?? 'unreadable'}
        </Item>
      </ol>
      <div className="panel-foot grid gap-2">
        {failed && <p className="text-bad">The receipt does not verify. Compare the journal with a checkpoint stored elsewhere.</p>}
        {done && <p className="text-ok">Verified in this browser from the receipt alone.</p>}
        <a className="btn justify-self-start" data-kind="quiet" data-small href={`/v1/runs/${encodeURIComponent(runId)}/receipt`} download={`${runId}.receipt.json`}>
          <Download size={14} aria-hidden />
          Save receipt
        </a>
        <Command line={`palyra runs receipt ${runId} --out run.receipt.json`} />
      </div>
    </section>
  );
}

async function verify({ receipt, key }: Schemas['RunReceipt']): Promise<Result> {
  const { proof, leaf, checkpoint } = receipt;
  const root = await rootOf(await leafHash(leaf), proof.sequence, proof.head.size, proof.path);
  const note = readCheckpoint(checkpoint);
  let signed: State = 'failed';
  if (note) {
    try {
      signed = (await verifySignature(note, key)) ? 'passed' : 'failed';
    } catch {
      signed = 'unsupported';
    }
  }
  return {
    path: root === undefined ? 'failed' : 'passed',
    root: root === proof.head.root && note?.root === root && note.size === proof.head.size ? 'passed' : 'failed',
    checkpoint: signed,
  };
}

function LeafHash({ leaf }: { leaf: string }) {
  const hash = useQuery({ queryKey: ['leaf', leaf], queryFn: async () => hex(await leafHash(leaf)), staleTime: Infinity });
  return <>{hash.data ? short(hex(fromHex(hash.data))) : ''}</>;
}

function Item({ name, note, state, text, children }: { name: string; note: string; state: State; text: string; children: React.ReactNode }) {
  const look = state === 'passed' ? 'bg-ok-soft text-ok' : state === 'failed' ? 'bg-bad-soft text-bad' : 'bg-selected text-subtle';
  const Icon = state === 'failed' ? CircleX : Check;
  return (
    <li className="flex gap-3">
      <span className={`mt-0.5 grid size-4.5 flex-none place-items-center rounded-full ${look}`}>
        {(state === 'passed' || state === 'failed') && <Icon size={11} aria-label={state} />}
      </span>
      <span className="min-w-0">
        <span className="font-medium">{name}</span> <span className="num text-xs text-subtle">{note}</span>
        <span className="fact block">{children}</span>
        <span className="block text-xs text-subtle">{text}</span>
      </span>
    </li>
  );
}
