import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowUp, OctagonX } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { agent, type Session } from '@/api/agent';
import { queries } from '@/api/queries';
import { useOnline } from '@/api/use-connection';
import { Button } from '@/ui/button';
import { ProblemView } from '@/ui/states';
import { toast } from '@/ui/toast';
import { useToolPicker } from './tool-picker';

const draftKey = (session: string): string => `palyra.message.${session}`;

interface Props {
  sessionId: string;
  session: Session | undefined;
  /** The run under way, which has to end before the next message. */
  run: string | undefined;
}

/** Where a message is written. What was typed is kept until the daemon has it. */
export function Composer({ sessionId, session, run }: Props) {
  const online = useOnline();
  const queryClient = useQueryClient();
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey(sessionId)) ?? '');
  const keep = (next: string): void => {
    setText(next);
    if (next === '') sessionStorage.removeItem(draftKey(sessionId));
    else sessionStorage.setItem(draftKey(sessionId), next);
  };
  const picker = useToolPicker(text, (tool) => keep(`${tool} `));
  const say = useMutation({
    mutationFn: (message: string) => agent.say(sessionId, message),
    onSuccess(_, message) {
      // Text that was typed while the message was on its way is a new message.
      setText((now) => {
        const rest = now === message ? '' : now;
        if (rest === '') sessionStorage.removeItem(draftKey(sessionId));
        return rest;
      });
      void queryClient.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  const stop = useMutation({ mutationFn: agent.stop, onSuccess: () => toast('Stopped'), onError: (error) => toast(error.message) });
  const canSend = online && run === undefined && !say.isPending && text.trim() !== '';
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (canSend) say.mutate(text);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (picker.onKeyDown(event)) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      submit();
    }
  };
  const hint = !online ? 'Your text is kept until the daemon responds' : run !== undefined ? 'A run is in progress' : 'Enter sends, Shift Enter starts a new line';
  return (
    <form onSubmit={submit} aria-label="New message" className="mx-auto w-full max-w-[768px] px-6 pb-4 max-tab:px-4">
      {say.isError && (
        <div className="mb-2">
          <ProblemView error={say.error} untouched="Your message is kept." />
        </div>
      )}
      {picker.list}
      <div className="rounded-3 border border-control bg-surface p-2 focus-within:border-accent">
        <textarea
          aria-label="Message"
          aria-autocomplete="list"
          {...picker.field}
          placeholder="Ask a question, or type / to pick a tool"
          className="block min-h-11 w-full resize-none bg-transparent px-2 py-1.5 text-md focus-visible:outline-none max-tab:text-lg"
          rows={Math.min(8, text.split('\n').length)}
          value={text}
          onChange={(event) => keep(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div className="flex items-center gap-2">
          <ModelPicker sessionId={sessionId} model={session?.model ?? ''} />
          <span className="min-w-0 flex-1 px-2 text-xs text-subtle max-tab:invisible">{hint}</span>
          {run !== undefined && (
            <Button small disabled={!online || stop.isPending} onClick={() => stop.mutate(run)}>
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

/** The model that answers; an empty choice stands for the default of the daemon. */
function ModelPicker({ sessionId, model }: { sessionId: string; model: string }) {
  const models = useQuery(queries.models()).data;
  const online = useOnline();
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: (next: string) => agent.change(sessionId, { model: next }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ['sessions'] }),
    onError: (error) => toast(error.message),
  });
  if (!models || models.models.length === 0) return null;
  return (
    <select aria-label="Model" className="chip max-w-44 bg-surface" disabled={!online || change.isPending} value={model === models.default ? '' : model} onChange={(event) => change.mutate(event.target.value)}>
      <option value="">{models.default ?? 'Local router'}</option>
      {models.models
        .filter(({ name }) => name !== models.default)
        .map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
    </select>
  );
}
