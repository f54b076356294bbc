import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Hand, Keyboard, type LucideIcon, ListVideo, Moon, OctagonX, Package, Search, Upload, Wrench } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { palyraCommand } from '@/api/commands';
import { queries } from '@/api/queries';
import { shortRun, words } from '@/lib/format';
import { isDark, setTheme } from '@/lib/theme';
import { copyText } from '@/ui/copy';
import type { Layer } from './frame';
import { DESTINATIONS } from './navigation';

interface Entry {
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly hint?: string | undefined;
  readonly command?: readonly string[];
  readonly run: () => void;
}

/** Search over commands, pages, skills, tools and runs. */
export default function Palette({ onClose, onLayer }: { onClose: () => void; onLayer: (layer: Layer) => void }) {
  const navigate = useNavigate();
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const skills = useQuery(queries.skills()).data?.skills;
  const tools = useQuery(queries.tools()).data?.tools;
  const runs = useQuery(queries.runs({ limit: 100 })).data?.runs;
  const approvals = useQuery(queries.approvals({ status: 'pending' })).data?.approvals;

  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  const groups = useMemo(() => {
    const go = (to: string) => () => void navigate({ to });
    const asked = text.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (label: string): boolean => asked.every((word) => label.toLowerCase().includes(word));
    const next = approvals?.at(-1);
    const commands: Entry[] = [
      ...(next ? [{ id: 'next', label: 'Review the next pending approval', icon: Hand, run: go(`/approvals/${next.approval_id}`) }] : []),
      ...(skills ?? [])
        .filter(({ record }) => record.waiting)
        .map(({ record }) => ({ id: `u-${record.skill_id}`, label: `Review the pending update of ${record.skill_id}`, icon: Package, run: go(`/update/${record.skill_id}`) })),
      { id: 'install', label: 'Install skill', icon: Upload, command: ['skills', 'install', 'FILE'], run: go('/install') },
      { id: 'stop', label: 'Stop everything', icon: OctagonX, run: () => onLayer('stop') },
      { id: 'theme', label: 'Toggle light and dark theme', icon: Moon, run: () => setTheme(isDark() ? 'light' : 'dark') },
      { id: 'keys', label: 'Show keyboard shortcuts', icon: Keyboard, run: () => onLayer('keys') },
    ];
    const places: Entry[] = DESTINATIONS.map(({ id, label, icon, to, key }) => ({ id: `p-${id}`, label, icon, hint: key ? `G ${key.toUpperCase()}` : undefined, run: go(to) }));
    const found: [string, Entry[]][] = [
      ['Commands', commands.filter(({ label }) => matches(label)).slice(0, text ? 9 : 6)],
      ['Go to', places.filter(({ label }) => matches(label)).slice(0, text ? 20 : 6)],
    ];
    if (text) {
      found.push([
        'Skills',
        (skills ?? []).filter(({ record }) => matches(`${words(record.skill_id)} ${record.skill_id}`)).slice(0, 6).map(({ record }) => ({
          id: `s-${record.skill_id}`, label: record.skill_id, icon: Package, command: ['skills', 'show', record.skill_id], run: go(`/skills/${record.skill_id}`),
        })),
      ]);
      found.push([
        'Tools',
        (tools ?? []).filter((tool) => matches(`${tool.name} ${tool.tool_id}`)).slice(0, 6).map(({ tool_id }) => ({
          id: `t-${tool_id}`, label: tool_id, icon: Wrench, hint: 'try', command: ['run', tool_id], run: go(`/playground/${tool_id}`),
        })),
      ]);
      found.push([
        'Runs',
        (runs ?? []).filter((run) => matches(`${run.tool_id} ${run.run_id}`)).slice(0, 5).map(({ run_id, tool_id }) => ({
          id: `r-${run_id}`, label: tool_id, icon: ListVideo, hint: shortRun(run_id), command: ['runs', 'show', run_id], run: go(`/runs/${run_id}`),
        })),
      ]);
    }
    return found.filter(([, entries]) => entries.length > 0);
  }, [text, skills, tools, runs, approvals, navigate, onLayer]);

  const entries = groups.flatMap(([, group]) => group);
  const current = Math.min(selected, entries.length - 1);

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [current, groups]);

  const open = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    entry.run();
  };

  return (
    <dialog
      ref={dialog}
      aria-label="Command palette"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
      className="m-auto mt-[10vh] w-[calc(100%-24px)] max-w-[620px] animate-rise overflow-hidden rounded-4 bg-raised p-0 shadow-dialog"
    >
      <div className="flex h-[50px] items-center gap-2.5 border-b px-4">
        <Search size={18} aria-hidden className="text-subtle" />
        <input
          autoFocus
          value={text}
          placeholder="Search, navigate or run a command…"
          aria-label="Search, navigate or run a command"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={entries[current] ? `palette-${entries[current].id}` : undefined}
          autoComplete="off"
          spellCheck={false}
          className="h-full min-w-0 flex-1 bg-transparent text-lg focus-visible:outline-none"
          onChange={(event) => {
            setText(event.target.value);
            setSelected(0);
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
              event.preventDefault();
              const step = event.key === 'ArrowDown' ? 1 : -1;
              setSelected((current + step + entries.length) % Math.max(1, entries.length));
            } else if (event.key === 'Enter') {
              event.preventDefault();
              const entry = entries[current];
              if ((event.ctrlKey || event.metaKey) && entry?.command) {
                void copyText(palyraCommand(entry.command));
                onClose();
              } else open(entry);
            }
          }}
        />
        <kbd>esc</kbd>
      </div>
      <div ref={list} id="palette-list" role="listbox" aria-label="Results" className="max-h-[min(420px,52vh)] overflow-auto p-1.5">
        {groups.map(([title, group]) => (
          <div key={title} role="group" aria-label={title}>
            <div aria-hidden className="px-2.5 pt-2 pb-1 text-2xs font-medium text-subtle">
              {title}
            </div>
            {group.map((entry) => {
              const Icon = entry.icon;
              return (
                <div
                  key={entry.id}
                  id={`palette-${entry.id}`}
                  role="option"
                  aria-selected={entries[current]?.id === entry.id}
                  onClick={() => open(entry)}
                  className="flex h-9 cursor-pointer items-center gap-2.5 rounded-2 px-2.5 hover:bg-hover aria-selected:bg-selected"
                >
                  <Icon size={16} aria-hidden className="text-subtle" />
                  <span className="clip">{entry.label}</span>
                  {entry.hint && <span className="ml-auto font-mono text-xs whitespace-nowrap text-muted">{entry.hint}</span>}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className="px-4 pb-4 text-muted">No matches. Try the name of a tool, skill or run.</p>}
      <div className="flex gap-4 border-t px-4 py-2 text-xs text-subtle max-tab:hidden">
        <span className="flex items-center gap-1.5">
          <kbd>↑</kbd>
          <kbd>↓</kbd> move
        </span>
        <span className="flex items-center gap-1.5">
          <kbd>↵</kbd> open
        </span>
        <span className="flex items-center gap-1.5">
          <kbd>Ctrl ↵</kbd> copy as command
        </span>
      </div>
    </dialog>
  );
}
