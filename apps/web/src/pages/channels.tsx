import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { CircleCheck, Plus, Radio, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { queries } from '@/api/queries';
import { clock, count, plural, visible } from '@/lib/format';
import { useRowKeys } from '@/lib/rows';
import { ActionButton, RemoveButton } from '@/ui/action';
import { Field, TextField } from '@/ui/field';
import { PageHead, Section } from '@/ui/page';
import { State } from '@/ui/state';
import { Blank, QueryView } from '@/ui/states';

type Channel = Schemas['Channel'];

export default function Channels() {
  const { channel } = useParams({ strict: false });
  const channels = useQuery(queries.channels());
  useRowKeys();
  return <div className="page">{<QueryView page query={channels}>{(data) => <ChannelView channels={data.channels} selected={channel} />}</QueryView>}</div>;
}

function ChannelView({ channels, selected }: { channels: readonly Channel[]; selected: string | undefined }) {
  const failing = channels.filter(({ cursor }) => cursor?.error).length;
  const current = channels.find(({ name }) => name === selected) ?? channels[0];
  return (
    <>
      <PageHead
        title={channels.length === 0 ? 'No channels defined' : `${plural(channels.length, 'channel')}${failing > 0 ? `, ${failing} failing` : ''}`}
        text="Named destinations that skills publish to. You configure where each channel delivers."
        actions={<AddChannel />}
      />
      <div className="panel">
        {channels.length === 0 ? (
          <Blank icon={Radio} title="No channels defined" text="Skills publish to channels. You configure where each channel delivers." command="palyra channels add alerts --to console" />
        ) : (
          <table className="table stack">
            <thead>
              <tr>
                <th>Channel</th>
                <th>Destination</th>
                <th>State</th>
                <th className="end">Delivered</th>
                <th className="end">Dead letters</th>
                <th>
                  <span className="screen-reader">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {channels.map((channel) => (
                <tr key={channel.name} data-row aria-selected={channel.name === current?.name}>
                  <td>
                    <Link to="/channels/$channel" params={{ channel: channel.name }} className="font-medium hover:underline">
                      {channel.name}
                    </Link>
                  </td>
                  <td data-label="To">
                    <span className="tag">{channel.to}</span> <span className="fact text-muted">{visible(channel.url ?? channel.path ?? 'kept for subscribers')}</span>
                  </td>
                  <td data-label="State">
                    {channel.cursor?.error ? (
                      <span title={visible(channel.cursor.error)}>
                        <State look={{ tone: 'bad', icon: RotateCcw, word: `Retrying, attempt ${channel.cursor.attempts + 1}` }} />
                      </span>
                    ) : (
                      <State look={{ tone: 'ok', icon: CircleCheck, word: channel.cursor ? 'Delivering' : 'Ready' }} />
                    )}
                  </td>
                  <td data-label="Delivered" className="num end">{channel.cursor ? count(channel.cursor.delivered) : '—'}</td>
                  <td data-label="Dead letters" className={`num end ${channel.dead_letters.length > 0 ? 'text-bad' : ''}`}>{count(channel.dead_letters.length)}</td>
                  <td className="end">
                    <RemoveButton
                      what="channel"
                      title={`Remove the channel ${channel.name}?`}
                      text="Skills can no longer publish to it. Its stored messages are removed."
                      command={{ palyra: ['channels', 'remove', channel.name] }}
                      run={() => unwrap(client.DELETE('/v1/channels/{name}', { params: { path: { name: channel.name } } }))}
                      records="channels:changed"
                      done={`${channel.name} was removed`}
                      refresh={[['channels'], ['deliveries']]}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
      {current && <Messages name={current.name} />}
    </>
  );
}

function Messages({ name }: { name: string }) {
  const messages = useQuery(queries.messages(name));
  return (
    <Section title={`${name}, newest first`} className="mt-8">
      <QueryView query={messages}>
        {(data) =>
          data.messages.length === 0 ? (
            <p className="text-muted">No skill has published to this channel.</p>
          ) : (
            <ol className="panel rows">
              {[...data.messages]
                .sort((a, b) => b.id - a.id)
                .map((message) => (
                  <li key={message.id} className="grid grid-cols-[72px_180px_minmax(0,1fr)] gap-3 px-4 py-2 font-mono text-xs max-tab:grid-cols-1 max-tab:gap-0.5">
                    <span className="num text-subtle">{clock(message.at_ms)}</span>
                    <Link to="/runs/$run" params={{ run: message.run_id }} className="clip hover:underline">
                      {message.skill_id}
                    </Link>
                    <span className="break-words whitespace-pre-wrap">{visible(message.body.slice(0, 4_000))}</span>
                  </li>
                ))}
            </ol>
          )
        }
      </QueryView>
    </Section>
  );
}

function AddChannel() {
  const [name, setName] = useState('');
  const [to, setTo] = useState<Schemas['ChannelTarget']>('console');
  const [where, setWhere] = useState('');
  const target = to === 'file' ? { path: where.trim() } : to === 'webhook' ? { url: where.trim() } : {};
  return (
    <ActionButton
      kind="primary"
      icon={Plus}
      label="Add channel…"
      title="Add a channel"
      text="Only skills whose grants name the channel can publish to it."
      confirm="Add channel"
      ready={name.trim() !== '' && (to === 'console' || where.trim() !== '')}
      command={{ palyra: ['channels', 'add', name || 'NAME', '--to', to, ...(to === 'file' ? ['--path', where] : to === 'webhook' ? ['--url', where] : [])] }}
      run={() => unwrap(client.POST('/v1/channels', { body: { name: name.trim(), to, ...target } }))}
      records="channels:changed"
      done={`${name.trim()} was added`}
      refresh={[['channels'], ['deliveries']]}
    >
      <TextField label="Name" required mono first value={name} onChange={setName} />
      <Field label="Destination">
        {(control) => (
          <select {...control} className="input" value={to} onChange={(event) => setTo(event.target.value as Schemas['ChannelTarget'])}>
            <option value="console">console: kept for subscribers</option>
            <option value="file">file: appended to a file</option>
            <option value="webhook">webhook: posted to a URL</option>
          </select>
        )}
      </Field>
      {to !== 'console' && (
        <Field label={to === 'file' ? 'File, by its whole path' : 'URL'} required>
          {(control) => <input {...control} className="input fact" value={where} onChange={(event) => setWhere(event.target.value)} />}
        </Field>
      )}
    </ActionButton>
  );
}
