import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Ban, Plus, Stamp } from 'lucide-react';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { queries } from '@/api/queries';
import { groupsOf } from '@/domain/fingerprint';
import { KeyHistory } from '@/domain/key-history';
import { modeLook } from '@/domain/status';
import { count, plural, short, visible } from '@/lib/format';
import { useRowKeys } from '@/lib/rows';
import { ActionButton } from '@/ui/action';
import { Command, CopyButton } from '@/ui/copy';
import { TextField } from '@/ui/field';
import { KeyMark } from '@/ui/keymark';
import { KeyValues, PageHead, Section } from '@/ui/page';
import { Badge, State } from '@/ui/state';
import { Blank, QueryView } from '@/ui/states';

export default function Publishers() {
  const { publisher } = useParams({ strict: false });
  const trust = useQuery(queries.trust());
  useRowKeys();
  return <div className="page">{publisher ? <PublisherPage name={publisher} /> : <QueryView page query={trust}>{(data) => <List trust={data} />}</QueryView>}</div>;
}

function List({ trust }: { trust: Schemas['TrustList'] }) {
  const unknown = trust.publishers.filter(({ mode }) => mode === 'unknown').length;
  return (
    <>
      <PageHead
        title={trust.publishers.length === 0 ? 'No known publishers' : `${plural(trust.publishers.length, 'publisher')}${unknown > 0 ? `, ${unknown} unknown` : ''}`}
        text="Trusted publisher keys and how each was added. Built-in skills need no entry here: the program knows their digests."
        actions={<AllowKey />}
      />
      <div className="panel">
        {trust.publishers.length === 0 ? (
          <Blank icon={Stamp} title="No known publishers" text="A publisher is pinned when its first skill is installed, or allowlisted by key." command="palyra trust allow PUBLISHER KEY" />
        ) : (
          <table className="table stack">
            <thead>
              <tr>
                <th>Publisher</th>
                <th>Mode</th>
                <th>Key</th>
                <th className="end">Epoch</th>
                <th className="end">Keys</th>
              </tr>
            </thead>
            <tbody>
              {trust.publishers.map((publisher) => (
                <tr key={publisher.publisher} data-row>
                  <td>
                    <span className="flex items-center gap-3">
                      <KeyMark keyId={publisher.keys[0]?.key_id ?? publisher.publisher} size={30} />
                      <span>
                        <Link to="/publishers/$publisher" params={{ publisher: publisher.publisher }} className="font-medium hover:underline">
                          {publisher.publisher}
                        </Link>
                        {publisher.blocked && <span className="block text-xs text-bad">{visible(publisher.blocked)}</span>}
                      </span>
                    </span>
                  </td>
                  <td>
                    <State look={modeLook(publisher.mode)} />
                  </td>
                  <td data-label="Key" className="fact text-muted">{publisher.keys[0] ? short(publisher.keys[0].key_id, 16, 4) : 'none'}</td>
                  <td data-label="Epoch" className="num end">{publisher.epoch ?? '—'}</td>
                  <td data-label="Keys" className="num end">{count(publisher.keys.length)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
      <div className="mt-8 grid grid-cols-2 gap-7 max-icon:grid-cols-1">
        <Section title="Revocations" note="append-only">
          <div className="panel rows">
            {trust.revocations.length === 0 && <p className="px-4 py-3 text-muted">No key, release or publisher is revoked.</p>}
            {trust.revocations.map((revocation) => (
              <div key={`${revocation.scope}${revocation.target}`} className="item">
                <State look={{ tone: 'bad', icon: Ban, word: revocation.scope }} />
                <span className="min-w-0 flex-1">
                  <span className="fact block">{visible(revocation.target)}</span>
                  <span className="text-xs text-muted">{visible(revocation.reason)}</span>
                </span>
                <span className="text-xs text-subtle">{visible(revocation.source)}</span>
              </div>
            ))}
          </div>
        </Section>
        <Section title="Feeds and builders">
          <div className="panel rows">
            {trust.feeds.length + trust.builders.length === 0 && <p className="px-4 py-3 text-muted">No revocation feed and no trusted builder.</p>}
            {trust.feeds.map(({ feed, keys, last_number }) => (
              <div key={feed} className="item">
                <span className="fact flex-1">{visible(feed)}</span>
                <span className="text-xs text-muted">
                  {plural(keys.length, 'key')}, {last_number == null ? 'no entry yet' : `last entry ${last_number}`}
                </span>
              </div>
            ))}
            {trust.builders.map(({ builder, level }) => (
              <div key={builder} className="item">
                <span className="fact flex-1">{visible(builder)}</span>
                <span className="text-xs text-muted">trusted builder, SLSA level {level}</span>
              </div>
            ))}
          </div>
        </Section>
      </div>
      <div className="mt-7">
        <Command line="palyra trust list" />
      </div>
    </>
  );
}

function AllowKey() {
  const [name, setName] = useState('');
  const [key, setKey] = useState('');
  return (
    <ActionButton
      kind="primary"
      icon={Plus}
      label="Allow key…"
      title="Allow a publisher key"
      text="Releases signed with this key are trusted. Get the key from the publisher out of band."
      confirm="Allow key"
      ready={name.trim() !== '' && key.trim() !== ''}
      command={{ palyra: ['trust', 'allow', name.trim() || 'PUBLISHER', key.trim() || 'KEY'] }}
      run={() => unwrap(client.PUT('/v1/trust/publishers/{publisher}', { params: { path: { publisher: name.trim() } }, body: { keys: [key.trim()] } }))}
      records="trust:allowed"
      done={`Key of ${name.trim()} allowed`}
      refresh={[['trust'], ['skills']]}
    >
      <TextField label="Publisher" required mono first value={name} onChange={setName} />
      <TextField label="Public key" hint="As the publisher shows it: ed25519-public:…" required mono value={key} onChange={setKey} />
    </ActionButton>
  );
}

function PublisherPage({ name }: { name: string }) {
  const publisher = useQuery(queries.publisher(name));
  return <QueryView page query={publisher}>{(data) => <Detail publisher={data} />}</QueryView>;
}

function Detail({ publisher }: { publisher: Schemas['PublisherInfo'] }) {
  const [reason, setReason] = useState('');
  const name = publisher.publisher;
  const path = { params: { path: { publisher: name } } };
  return (
    <>
      <PageHead
        title={name}
        above={<Badge look={modeLook(publisher.mode)} />}
        text={publisher.origin ? visible(publisher.origin) : `${plural(publisher.skills.length, 'skill')} of this publisher known`}
        actions={
          publisher.mode === 'blocked' ? (
            <ActionButton
              label="Unblock…"
              title={`Unblock ${name}?`}
              text="Its keys are trusted again as before. Quarantined skills stay quarantined until you enable them."
              confirm="Unblock"
              command={{ palyra: ['trust', 'unblock', name] }}
              run={() => unwrap(client.POST('/v1/trust/publishers/{publisher}/unblock', path))}
              records="trust:unblocked"
              done={`${name} is unblocked`}
              refresh={[['trust'], ['skills']]}
            />
          ) : (
            <ActionButton
              kind="danger"
              danger
              label="Block…"
              title={`Block ${name}?`}
              text="No release of this publisher can be installed or run until it is unblocked. Running calls end."
              confirm="Block publisher"
              ready={reason.trim() !== ''}
              command={{ palyra: ['trust', 'block', name, '--reason', reason || 'TEXT'] }}
              run={() => unwrap(client.POST('/v1/trust/publishers/{publisher}/block', { ...path, body: { reason: reason.trim() } }))}
              records="trust:blocked"
              done={`${name} is blocked`}
              refresh={[['trust'], ['skills']]}
            >
              <TextField label="Reason" hint="Recorded in the journal" required first value={reason} onChange={setReason} />
            </ActionButton>
          )
        }
      />
      <div className="main-side">
        <div className="grid min-w-0 gap-7">
          <Section title="Keys" note={publisher.threshold != null ? `threshold ${publisher.threshold}` : undefined}>
            <div className="panel rows">
              {publisher.keys.length === 0 && <p className="px-4 py-3 text-muted">No key is known.</p>}
              {publisher.keys.map(({ key_id }) => (
                <div key={key_id} className="item items-start">
                  <KeyMark keyId={key_id} size={48} />
                  <span className="fact grid flex-1 grid-cols-[repeat(auto-fit,76px)] gap-x-2">
                    {groupsOf(key_id).map((group, i) => (
                      <span key={i}>{group}</span>
                    ))}
                  </span>
                  <CopyButton text={key_id} label="Copy fingerprint" />
                </div>
              ))}
            </div>
          </Section>
          <Section title="Skills">
            <div className="panel rows">
              {publisher.skills.length === 0 && <p className="px-4 py-3 text-muted">No release of this publisher is known.</p>}
              {publisher.skills.map(({ skill_id, newest }) => (
                <div key={skill_id} className="item">
                  <Link to="/skills/$skill" params={{ skill: skill_id }} className="fact link flex-1">
                    {skill_id}
                  </Link>
                  <span className="text-muted">{newest ? `newest ${newest}` : ''}</span>
                </div>
              ))}
            </div>
          </Section>
          <KeyHistory publisher={name} />
          {publisher.past.length > 0 && (
            <Section title="Past keys">
              <div className="panel rows">
                {publisher.past.map((past, i) => (
                  <div key={i} className="item">
                    <span className="num text-subtle">epoch {past.epoch ?? '—'}</span>
                    <span className="fact flex-1">{past.keys.map(({ key_id }) => short(key_id, 16, 4)).join(', ')}</span>
                    <span className="text-xs text-muted">{visible(past.ended_by)}</span>
                  </div>
                ))}
              </div>
            </Section>
          )}
        </div>
        <aside aria-label="Details">
          <KeyValues
            rows={[
              ['Epoch', publisher.epoch ?? 'none'],
              ['Threshold', publisher.threshold ?? 'none'],
              ['Revocations', count(publisher.revocations.length)],
            ]}
          />
        </aside>
      </div>
    </>
  );
}
