import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Archive, ArchiveRestore, Download, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { agent, type Session } from '@/api/agent';
import { palyraCommand } from '@/api/commands';
import { useOnline } from '@/api/use-connection';
import { Button } from '@/ui/button';
import { Command } from '@/ui/copy';
import { Dialog } from '@/ui/dialog';
import { Field } from '@/ui/field';
import { Menu } from '@/ui/menu';
import { ProblemView } from '@/ui/states';
import { toast } from '@/ui/toast';

type Open = 'rename' | 'export' | 'remove' | undefined;

/** What can be done with a session as a whole. */
export function SessionMenu({ session }: { session: Session }) {
  const [open, setOpen] = useState<Open>();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const online = useOnline();
  const { session_id: id, archived } = session;
  const refresh = (): void => void queryClient.invalidateQueries({ queryKey: ['sessions'] });
  const close = (): void => setOpen(undefined);
  const archive = useMutation({
    mutationFn: () => agent.change(id, { archived: !archived }),
    onSuccess() {
      toast(archived ? 'Session restored' : 'Session archived');
      refresh();
    },
    onError: (error) => toast(error.message),
  });
  const remove = useMutation({
    mutationFn: () => agent.remove(id),
    onSuccess() {
      toast('Session deleted');
      close();
      void navigate({ to: '/chat' });
      refresh();
    },
  });
  return (
    <>
      <Menu
        items={[
          { label: 'Rename…', icon: Pencil, onSelect: () => setOpen('rename') },
          archived
            ? { label: 'Restore from archive', icon: ArchiveRestore, onSelect: () => archive.mutate() }
            : { label: 'Archive', icon: Archive, onSelect: () => archive.mutate() },
          { label: 'Export…', icon: Download, onSelect: () => setOpen('export') },
          { label: 'Delete session…', icon: Trash2, onSelect: () => setOpen('remove') },
        ]}
        trigger={
          <Button kind="quiet" small square aria-label="Session menu" disabled={!online}>
            <Ellipsis size={16} aria-hidden />
          </Button>
        }
      />
      {open === 'rename' && <Rename session={session} onClose={close} onDone={refresh} />}
      <Dialog open={open === 'export'} title="Export this session" onClose={close}>
        <p>Writes the session with its runs, events and surfaces to a file.</p>
        <Command line={palyraCommand(['sessions', 'export', id, '--out', 'session.json'])} />
      </Dialog>
      <Dialog
        open={open === 'remove'}
        title="Delete this session?"
        onClose={close}
        footer={
          <>
            <Button data-cancel onClick={close}>
              Cancel
            </Button>
            <Button kind="danger" disabled={!online || remove.isPending} onClick={() => remove.mutate()}>
              Delete session
            </Button>
          </>
        }
      >
        <p>Messages and surfaces are deleted. Runs of tools keep their receipts, and the journal keeps its events.</p>
        <Command line={palyraCommand(['sessions', 'remove', id])} />
        {remove.isError && <ProblemView error={remove.error} />}
      </Dialog>
    </>
  );
}

function Rename({ session, onClose, onDone }: { session: Session; onClose: () => void; onDone: () => void }) {
  const [title, setTitle] = useState(session.title);
  const online = useOnline();
  const rename = useMutation({
    mutationFn: () => agent.change(session.session_id, { title: title.trim() }),
    onSuccess() {
      onDone();
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    rename.mutate();
  };
  return (
    <Dialog open title="Rename this session" onClose={onClose}>
      <form onSubmit={submit} className="grid gap-3.5">
        <Field label="Title">{(control) => <input {...control} className="input" data-autofocus value={title} onChange={(event) => setTitle(event.target.value)} />}</Field>
        {rename.isError && <ProblemView error={rename.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={!online || rename.isPending || title.trim() === ''}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
