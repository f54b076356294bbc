import type { ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { CapabilityIcon } from '@/domain/capability';
import { secretUse } from '@/domain/secret-use';
import { visible } from '@/lib/format';
import { Ticked } from '@/ui/ticked';

/** What a call can reach: hosts, secret names, directories, channels and its own storage. */
export function Reach({ reach }: { reach: Schemas['CallReach'] }) {
  const rows: [kind: string, text: string, note: ReactNode][] = [
    ...reach.hosts.map((host): [string, string, ReactNode] => ['http', host, null]),
    ...reach.addresses.map((range): [string, string, ReactNode] => ['http', range, 'private address range, opened by an operator']),
    ...reach.secrets.map((secret): [string, string, ReactNode] => ['secret', secret.secret, <Ticked key={secret.secret} text={secretUse(secret)} />]),
    ...reach.directories.map(({ root, directory, writable }): [string, string, ReactNode] => ['fs', directory, `${writable ? 'read and write' : 'read'}, as ${visible(root)}`]),
    ...reach.channels.map((channel): [string, string, ReactNode] => ['channel', channel, 'publish messages']),
    ...reach.storage.map((prefix): [string, string, ReactNode] => ['storage', prefix, 'its own storage']),
  ];
  if (rows.length === 0) return <p className="text-muted">Only its own input and output.</p>;
  return (
    <>
      <ul className="grid gap-2">
        {rows.map(([kind, text, note]) => (
          <li key={`${kind}:${text}`} className="flex items-start gap-2.5">
            <CapabilityIcon grant={kind} />
            <span className="min-w-0">
              <span className="fact">{visible(text)}</span>
              {note && <span className="block text-xs text-subtle">{note}</span>}
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-xs text-subtle">Everything else is denied.</p>
    </>
  );
}
