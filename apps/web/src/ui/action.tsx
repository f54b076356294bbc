import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Copyable } from '@/api/commands';
import { recorded } from '@/api/recorded';
import { useOnline } from '@/api/use-connection';
import { Button, type ButtonLook } from './button';
import { ActionCommand } from './action-command';
import { Dialog } from './dialog';
import { ProblemView } from './states';
import { toast } from './toast';

interface Props<T> extends ButtonLook {
  /** Content of the button; text that ends with an ellipsis announces the dialog. */
  label: ReactNode;
  icon?: LucideIcon;
  title: string;
  /** What happens, and what does not. */
  text: ReactNode;
  /** Verb that names the result. */
  confirm: string;
  danger?: boolean;
  command?: Copyable;
  children?: ReactNode;
  wide?: boolean;
  ready?: boolean;
  run: () => Promise<T>;
  /** Kind of the journal event that records the decision, such as `skill:quarantined`; the message links to it. */
  records?: string;
  done: string | ((result: T) => string);
  /** Queries that show the result. */
  refresh: readonly QueryKey[];
  onDone?: (result: T) => void;
  onOpen?: () => void;
}

/** A button whose dialog says what it does before it does it. Cancel has the focus. */
export function ActionButton<T>(props: Props<T>) {
  const { label, icon: Icon, title, text, confirm, danger, command, children, wide, ready = true, run, records, done, refresh, onDone, onOpen, ...look } = props;
  const [open, setOpen] = useState(false);
  const queries = useQueryClient();
  const online = useOnline();
  const action = useMutation({
    mutationFn: async () => (records === undefined ? { result: await run(), entry: undefined } : recorded(records, run)),
    onSuccess({ result, entry }) {
      toast(typeof done === 'string' ? done : done(result), entry);
      for (const queryKey of refresh) void queries.invalidateQueries({ queryKey });
      setOpen(false);
      onDone?.(result);
    },
  });
  return (
    <>
      <Button
        {...look}
        onClick={() => {
          action.reset();
          onOpen?.();
          setOpen(true);
        }}
      >
        {Icon && <Icon size={15} aria-hidden />}
        {label}
      </Button>
      <Dialog
        open={open}
        title={title}
        wide={wide ?? false}
        onClose={() => setOpen(false)}
        footer={
          <>
            <Button data-cancel onClick={() => setOpen(false)}>
              Cancel
            </Button>
            <Button kind={danger ? 'danger' : 'primary'} disabled={!online || !ready || action.isPending} onClick={() => action.mutate()}>
              {confirm}
            </Button>
          </>
        }
      >
        <div>{text}</div>
        {children}
        {command && <ActionCommand action={command} />}
        {action.isError && <ProblemView error={action.error} />}
      </Dialog>
    </>
  );
}

/** Removes one row of a list, after its dialog. */
export function RemoveButton<T>({ what, ...props }: Omit<Props<T>, 'label' | 'confirm' | 'danger'> & { /** Noun of the row, as in `token`. */ what: string }) {
  return <ActionButton small kind="quiet" danger label="Remove…" confirm={`Remove ${what}`} {...props} />;
}
