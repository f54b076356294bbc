import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { queries, type Schemas } from '@/api/queries';
import { visible } from '@/lib/format';

/** Tools that are offered at once. */
const MOST = 7;
const LIST = 'tool-picker';

/** Offers tools while a message is a slash and the beginning of a name. */
export function useToolPicker(text: string, onPick: (tool: string) => void) {
  const asked = /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase();
  const open = asked !== undefined;
  const [at, setAt] = useState({ asked, index: 0 });
  const tools = useQuery({ ...queries.tools(), enabled: open }).data?.tools ?? [];
  const found = open ? tools.filter(({ status, name, tool_id }) => status === 'active' && `${tool_id} ${name}`.toLowerCase().includes(asked)).slice(0, MOST) : [];
  // Another text begins at the first tool again.
  const selected = at.asked === asked ? Math.min(at.index, Math.max(0, found.length - 1)) : 0;
  const current = found[selected];

  /** Handles the keys of the list; returns whether it took this one. */
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (current === undefined) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt({ asked, index: (selected + step + found.length) % found.length });
    else if (event.key === 'Enter' || event.key === 'Tab') onPick(current.tool_id);
    else return false;
    event.preventDefault();
    return true;
  };
  const field = current === undefined ? {} : { 'aria-controls': LIST, 'aria-activedescendant': `${LIST}-${selected}` };
  return { onKeyDown, field, list: open && <ToolList tools={found} selected={selected} onPick={onPick} /> };
}

interface ListProps {
  tools: readonly Schemas['ToolSummary'][];
  selected: number;
  onPick: (tool: string) => void;
}

function ToolList({ tools, selected, onPick }: ListProps) {
  if (tools.length === 0) return <p className="mb-2 rounded-3 border bg-raised px-3 py-2 text-muted shadow-float">No active tool matches.</p>;
  return (
    <ul id={LIST} role="listbox" aria-label="Tools" className="mb-2 rounded-3 border bg-raised p-1.5 shadow-float">
      {tools.map(({ tool_id, description }, i) => (
        <li
          key={tool_id}
          id={`${LIST}-${i}`}
          role="option"
          aria-selected={i === selected}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(tool_id)}
          className="flex min-h-9 cursor-pointer items-center gap-3 rounded-2 px-2.5 hover:bg-hover aria-selected:bg-selected max-tab:min-h-11"
        >
          <span className="fact flex-none">{tool_id}</span>
          <span className="clip text-xs text-muted max-tab:hidden">{visible(description)}</span>
        </li>
      ))}
    </ul>
  );
}
