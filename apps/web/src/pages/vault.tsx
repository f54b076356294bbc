import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleSlash, KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { queries } from '@/api/queries';
import { plural, short, visible } from '@/lib/format';
import { ActionButton, RemoveButton } from '@/ui/action';
import { Field } from '@/ui/field';
import { KeyMark } from '@/ui/keymark';
import { PageHead, Section } from '@/ui/page';
import { Callout, State } from '@/ui/state';
import { Blank, QueryView } from '@/ui/states';
import { When } from '@/ui/time';

/** Names of secrets. Values are write-only. */
export default function Vault() {
  const vault = useQuery(queries.vault());
  return <div className="page">{<QueryView page query={vault}>{(data) => <VaultView vault={data} />}</QueryView>}</div>;
}

function VaultView({ vault }: { vault: Schemas['SecretList'] }) {
  const plugins = useQuery(queries.plugins()).data?.plugins ?? [];
  const usedBy = (secret: string): string[] => plugins.filter(({ granted }) => granted.some((grant) => grant.startsWith('secret') && grant.includes(`:${secret}`))).map(({ skill_id }) => skill_id);
  return (
    <>
      <PageHead title={vault.secrets.length === 0 ? 'No secrets stored' : `${plural(vault.secrets.length, 'secret')} stored`} text="Values are write-only. No screen, log or response shows a value." actions={<PutSecret />} />
      <Callout tone={vault.device_key.includes('keyring') ? 'ok' : 'info'} icon={KeyRound} className="mb-5">
        <b className="font-medium">Device key: {visible(vault.device_key)}.</b> {visible(vault.protection)}.
      </Callout>
      <div className="panel">
        {vault.secrets.length === 0 ? (
          <Blank icon={KeyRound} title="No secrets stored" text="Add a secret, then grant it to a skill for specific hosts." command="palyra vault put global/token" />
        ) : (
          <table className="table stack">
            <thead>
              <tr>
                <th>Secret</th>
                <th>Granted to</th>
                <th className="end">Changed</th>
                <th className="end">
                  <span className="screen-reader">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {vault.secrets.map(({ secret, updated }) => {
                const [scope = '', ...rest] = secret.split('/');
                return (
                  <tr key={secret}>
                    <td className="fact font-medium">{visible(secret)}</td>
                    <td data-label="Granted to" className="text-muted">{usedBy(secret).join(', ') || 'no skill'}</td>
                    <td data-label="Changed" className="end text-muted"><When at={updated} /></td>
                    <td className="end">
                      <span className="flex justify-end gap-1">
                        <PutSecret replace={secret} />
                        <RemoveButton
                          what="secret"
                          title={`Remove ${secret}?`}
                          text="Calls that use the secret fail from now on. The value cannot be restored."
                          command={{ palyra: ['vault', 'remove', secret] }}
                          run={() => unwrap(client.DELETE('/v1/vault/{scope}/{key}', { params: { path: { scope, key: rest.join('/') } } }))}
                          records="vault:removed"
                          done={`${secret} was removed`}
                          refresh={[['vault']]}
                        />
                      </span>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        )}
      </div>
      <Keys />
    </>
  );
}

function PutSecret({ replace }: { replace?: string }) {
  const [name, setName] = useState(replace ?? '');
  const [value, setValue] = useState('');
  const [scope = '', ...rest] = name.split('/');
  return (
    <ActionButton
      {...(replace ? { small: true, kind: 'quiet' as const } : { kind: 'primary' as const })}
      label={
        replace ? (
          'Replace…'
        ) : (
          <>
            <Plus size={15} aria-hidden />
            Add secret…
          </>
        )
      }
      title={replace ? `Replace ${replace}` : 'Add secret'}
      text={replace ? 'Calls use the new value from now on.' : 'A skill can use the secret only if its manifest requests it and you approve it.'}
      confirm={replace ? 'Replace secret' : 'Add secret'}
      ready={scope !== '' && rest.join('/') !== '' && value !== ''}
      command={{ palyra: ['vault', 'put', name || 'global/NAME'] }}
      run={() => unwrap(client.PUT('/v1/vault/{scope}/{key}', { params: { path: { scope, key: rest.join('/') } }, body: { value } }))}
      records="vault:put"
      done={`${name} was stored`}
      refresh={[['vault']]}
      onOpen={() => {
        setValue('');
        setName(replace ?? '');
      }}
      onDone={() => setValue('')}
    >
      {!replace && <Field label="Name" hint="SCOPE/NAME, as in global/github_token" required>{(control) => <input {...control} className="input fact" value={name} onChange={(event) => setName(event.target.value)} data-autofocus />}</Field>}
      <Field label="Value" hint="Stored in the vault. The value is never shown again." required>
        {(control) => <input {...control} type="password" autoComplete="new-password" className="input fact" value={value} onChange={(event) => setValue(event.target.value)} />}
      </Field>
    </ActionButton>
  );
}

function Keys() {
  const keys = useQuery(queries.keys());
  return (
    <Section title="Signing keys" className="mt-8">
      <QueryView query={keys}>
        {(data) =>
          data.keys.length === 0 ? (
            <p className="text-muted">
              No signing key. <span className="fact">palyra keys new NAME</span> makes one for packages that you publish.
            </p>
          ) : (
            <div className="panel rows">
              {data.keys.map(({ name, key_id, state }) => (
                <div key={name} className="item">
                  <KeyMark keyId={key_id} size={28} />
                  <span className="min-w-0 flex-1">
                    <span className="font-medium">{visible(name)}</span> <span className="fact text-subtle">{short(key_id, 16, 4)}</span>
                  </span>
                  <State look={state === 'active' ? { tone: 'ok', icon: CircleCheck, word: 'Active' } : { tone: 'idle', icon: CircleSlash, word: state }} />
                </div>
              ))}
            </div>
          )
        }
      </QueryView>
    </Section>
  );
}
