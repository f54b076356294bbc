import { useState } from 'react';
import { type Copyable, curlCommand, grpcCommand, palyraCommand } from '@/api/commands';
import { Segments } from './chips';
import { Command } from './copy';

type Form = 'palyra' | 'curl' | 'gRPC';

/** The command of an action, in each form that it has. */
export function ActionCommand({ action }: { action: Copyable }) {
  const [form, setForm] = useState<Form>('palyra');
  const lines: Record<Form, string | undefined> = { palyra: palyraCommand(action.palyra), curl: curlCommand(action), gRPC: grpcCommand(action) };
  const forms = (['palyra', 'curl', 'gRPC'] as const).filter((each) => lines[each] !== undefined);
  return (
    <div className="grid min-w-0 gap-1.5">
      {forms.length > 1 && (
        <span className="justify-self-start">
          <Segments label="Command as" value={form} onChange={setForm} choices={forms.map((id) => ({ id, label: id }))} />
        </span>
      )}
      <Command line={lines[form] ?? ''} />
      {form === 'gRPC' && (
        <p className="text-xs text-subtle">
          Needs grpcurl, and a daemon that was started with <span className="fact">--grpc-listen</span>.
        </p>
      )}
    </div>
  );
}
