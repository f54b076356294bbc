import { Link } from '@tanstack/react-router';
import { ChevronRight, CircleCheck, CircleSlash, CircleX, Clock, Copy, Loader, Unplug } from 'lucide-react';
import type { ToolItem } from '@/domain/conversation';
import { visible } from '@/lib/format';
import { Json, prettyJson } from '@/ui/json';
import { State, type StatusLook } from '@/ui/state';

const LOOKS: Record<ToolItem['status'], StatusLook> = {
  proposed: { tone: 'idle', icon: Clock, word: 'Proposed' },
  running: { tone: 'info', icon: Loader, word: 'Running' },
  invalid: { tone: 'bad', icon: CircleX, word: 'Not carried out' },
  completed: { tone: 'ok', icon: CircleCheck, word: 'Completed' },
  failed: { tone: 'bad', icon: CircleX, word: 'Failed' },
  refused: { tone: 'bad', icon: CircleX, word: 'Rejected' },
  denied: { tone: 'bad', icon: CircleX, word: 'Denied' },
  cancelled: { tone: 'idle', icon: CircleSlash, word: 'Cancelled' },
  interrupted: { tone: 'wait', icon: Unplug, word: 'Interrupted' },
  repeated: { tone: 'ok', icon: Copy, word: 'Answered from the first receipt' },
};

/** One call: its state, and on request its input, output and log. The call that answers a message is open. */
export function ToolCard({ item, isResult }: { item: ToolItem; isResult: boolean }) {
  const isOpen = isResult && (item.output !== undefined || item.error !== undefined);
  return (
    <details key={String(isOpen)} open={isOpen} className="panel group overflow-hidden">
      <summary className="flex cursor-pointer list-none items-center gap-3 px-4 py-2.5 focus-visible:-outline-offset-2">
        <ChevronRight size={14} aria-hidden className="flex-none text-subtle transition-transform group-open:rotate-90" />
        <span className="fact clip flex-1 font-medium">{visible(item.toolId)}</span>
        <State look={LOOKS[item.status]} spin={item.status === 'running'} />
      </summary>
      <div className="grid gap-3 border-t p-4">
        <div>
          <h2 className="mb-1.5">Input</h2>
          <Json value={prettyJson(item.arguments)} label="Input" />
        </div>
        {item.error && <p className="break-words text-bad">{visible(item.error)}</p>}
        {item.output !== undefined && (
          <div>
            <h2 className="mb-1.5">Output</h2>
            <Json value={prettyJson(item.output)} label="Output" />
          </div>
        )}
        {item.log.length > 0 && (
          <div className="bg-sunken p-3 font-mono text-xs">
            {item.log.map((line, i) => (
              <div key={i} className="break-words">
                {visible(line)}
              </div>
            ))}
          </div>
        )}
        {item.runId && (
          <Link to="/runs/$run" params={{ run: item.runId }} className="link justify-self-start">
            Open the run and its receipt
          </Link>
        )}
      </div>
    </details>
  );
}
