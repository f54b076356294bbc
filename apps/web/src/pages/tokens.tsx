import { useQuery } from '@tanstack/react-query';
import { CircleCheck, Clock, Plus, Ticket } from 'lucide-react';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { queries } from '@/api/queries';
import { plural } from '@/lib/format';
import { ActionButton, RemoveButton } from '@/ui/action';
import { CopyButton } from '@/ui/copy';
import { CopyAs } from '@/ui/copy-as';
import { Dialog } from '@/ui/dialog';
import { Button } from '@/ui/button';
import { Field, TextField } from '@/ui/field';
import { PageHead } from '@/ui/page';
import { State } from '@/ui/state';
import { Blank, QueryView } from '@/ui/states';
import { When } from '@/ui/time';

const SCOPES: readonly { id: Schemas['ScopeName']; text: string }[] = [
  { id: 'read', text: 'look at what is installed and what happened' },
  { id: 'invoke', text: 'call tools' },
  { id: 'operate', text: 'install, update, audit, quarantine and remove skills' },
  { id: 'approve', text: 'decide calls of others that need approval' },
  { id: 'elicit', text: 'let the person in an MCP client decide calls of this client' },
  { id: 'admin', text: 'consent, trust, secrets, policy and tokens' },
];
const LIFETIMES = [
  ['2592000', '30 days'],
  ['7776000', '90 days'],
  ['31536000', '1 year'],
  ['', 'does not expire'],
] as const;

export default function Tokens() {
  const tokens = useQuery(queries.tokens());
  const [secret, setSecret] = useState<Schemas['NewToken']>();
  return (
    <div className="page">
      <PageHead
        title={tokens.data ? (tokens.data.tokens.length === 0 ? 'Only the owner token exists' : plural(tokens.data.tokens.length, 'token')) : 'Tokens'}
        text="A token for each program that calls tools. No scope implies another. Only the hash of a token is stored."
        actions={
          <>
            <CopyAs action={{ palyra: ['tokens', 'list'], path: '/v1/tokens' }} />
            <AddToken onCreated={setSecret} />
          </>
        }
      />
      <QueryView query={tokens}>
        {(data) => (
          <div className="panel">
            {data.tokens.length === 0 ? (
              <Blank icon={Ticket} title="Only the owner token exists" text="Create a token for each program that calls tools." command="palyra tokens add editor --scope read --scope invoke" />
            ) : (
              <table className="table stack">
                <thead>
                  <tr>
                    <th>Token</th>
                    <th>Scopes</th>
                    <th>State</th>
                    <th className="end">Created</th>
                    <th className="end">Expires</th>
                    <th>
                      <span className="screen-reader">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {data.tokens.map(({ name, scopes, expired, created_ms, expires_ms }) => (
                    <tr key={name}>
                      <td className="font-medium">{name}</td>
                      <td data-label="Scopes">
                        <span className="flex flex-wrap gap-1">
                          {scopes.map((scope) => (
                            <span key={scope} className="tag">
                              {scope}
                            </span>
                          ))}
                        </span>
                      </td>
                      <td data-label="State">
                        <State look={expired ? { tone: 'idle', icon: Clock, word: 'Expired' } : { tone: 'ok', icon: CircleCheck, word: 'Valid' }} />
                      </td>
                      <td data-label="Created" className="end text-muted"><When at={created_ms} /></td>
                      <td data-label="Expires" className="end text-muted">{expires_ms == null ? 'never' : <When at={expires_ms} />}</td>
                      <td className="end">
                        <RemoveButton
                          what="token"
                          title={`Remove the token ${name}?`}
                          text="Requests with this token are rejected at once and its open streams end."
                          command={{ palyra: ['tokens', 'remove', name] }}
                          run={() => unwrap(client.DELETE('/v1/tokens/{name}', { params: { path: { name } } }))}
                          records="token:removed"
                          done={`Token ${name} was removed`}
                          refresh={[['tokens']]}
                        />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </div>
        )}
      </QueryView>
      <Dialog
        open={secret !== undefined}
        title={`Token ${secret?.token.name ?? ''} created`}
        onClose={() => setSecret(undefined)}
        footer={<Button onClick={() => setSecret(undefined)}>Done</Button>}
      >
        <p>This is the only time the token is shown. Store it in the program that uses it.</p>
        {secret && (
          <div className="command">
            <code tabIndex={0} role="group" aria-label="Token">{secret.secret}</code>
            <CopyButton text={secret.secret} label="Copy token" />
          </div>
        )}
      </Dialog>
    </div>
  );
}

function AddToken({ onCreated }: { onCreated: (token: Schemas['NewToken']) => void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Schemas['ScopeName'][]>(['read', 'invoke']);
  const [lifetime, setLifetime] = useState<string>('7776000');
  return (
    <ActionButton
      kind="primary"
      icon={Plus}
      label="Create token…"
      title="Create a token"
      text="Receipts and the journal name the token that acted."
      confirm="Create token"
      ready={name.trim() !== '' && scopes.length > 0}
      command={{ palyra: ['tokens', 'add', name || 'NAME', ...scopes.flatMap((scope) => ['--scope', scope])] }}
      run={() => unwrap(client.POST('/v1/tokens', { body: { name: name.trim(), scopes: [...scopes], lifetime_seconds: lifetime === '' ? null : Number(lifetime) } }))}
      records="token:added"
      done={({ token }) => `Token ${token.name} created`}
      refresh={[['tokens']]}
      onDone={onCreated}
    >
      <TextField label="Name" hint="Up to 40 lower-case letters, digits, - and _" required mono first value={name} onChange={setName} />
      <fieldset className="grid gap-2">
        <legend className="mb-1 font-medium">Scopes</legend>
        {SCOPES.map(({ id, text }) => (
          <label key={id} className="check">
            <input type="checkbox" checked={scopes.includes(id)} onChange={(event) => setScopes(event.target.checked ? [...scopes, id] : scopes.filter((scope) => scope !== id))} />
            <span>
              {id}
              <span className="block text-xs text-subtle">{text}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Field label="Lifetime">
        {(control) => (
          <select {...control} className="input" value={lifetime} onChange={(event) => setLifetime(event.target.value)}>
            {LIFETIMES.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
    </ActionButton>
  );
}
