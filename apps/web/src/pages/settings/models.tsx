import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { queries } from '@/api/queries';
import { useOnline } from '@/api/use-connection';
import { millis, visible } from '@/lib/format';
import { ActionButton, RemoveButton } from '@/ui/action';
import { Button } from '@/ui/button';
import { Field, TextField } from '@/ui/field';
import { Section } from '@/ui/page';
import { QueryView } from '@/ui/states';
import { toast } from '@/ui/toast';

type Model = Schemas['Model'];

const PROTOCOLS = ['chat-completions', 'responses', 'messages'] as const;

/** Models that answer in chat. Without one, the local router matches a sentence to a tool. */
export function Models() {
  const models = useQuery(queries.models());
  return (
    <Section panel title="Models" note="keys stay in the vault" more={<AddModel />}>
      <QueryView query={models}>
        {({ models: list }) =>
          list.length === 0 ? (
            <p className="px-4 py-3 text-muted">No model is configured. The local router matches a message to a tool and shows a form to check.</p>
          ) : (
            <ul className="rows">
              {list.map((model) => (
                <Row key={model.name} model={model} />
              ))}
            </ul>
          )
        }
      </QueryView>
    </Section>
  );
}

function Row({ model }: { model: Model }) {
  const online = useOnline();
  const queryClient = useQueryClient();
  const path = { params: { path: { name: model.name } } };
  const refresh = (): void => void queryClient.invalidateQueries({ queryKey: ['models'] });
  const test = useMutation({
    mutationFn: () => unwrap(client.POST('/v1/models/{name}/test', path)),
    onError: (error) => toast(error.message),
  });
  const choose = useMutation({
    mutationFn: () => unwrap(client.POST('/v1/models/{name}/default', path)),
    onSuccess: () => {
      toast(`${model.name} is the default model`);
      refresh();
    },
    onError: (error) => toast(error.message),
  });
  return (
    <li className="grid gap-1.5 px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1 basis-52">
          <span className="font-medium">{model.name}</span>
          {model.is_default && <span className="ml-2 text-xs text-muted">default</span>}
          <span className="fact clip block text-subtle">
            {visible(model.model)} at {visible(model.base_url)}
          </span>
        </span>
        <Button small kind="quiet" disabled={!online || test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? 'Testing' : 'Test'}
        </Button>
        {!model.is_default && (
          <Button small kind="quiet" disabled={!online || choose.isPending} onClick={() => choose.mutate()}>
            Make default
          </Button>
        )}
        <RemoveButton
          what="model"
          title={`Remove the model ${model.name}?`}
          text="Sessions that use it answer with the default model. Its key stays in the vault."
          command={{ palyra: ['models', 'remove', model.name] }}
          run={() => unwrap(client.DELETE('/v1/models/{name}', path))}
          records="models:changed"
          done={`${model.name} was removed`}
          refresh={[['models']]}
        />
      </div>
      {test.data && <TestResult result={test.data} />}
    </li>
  );
}

function TestResult({ result }: { result: Schemas['ModelTest'] }) {
  if (result.failure) return <p className="text-xs text-bad">Does not answer: {visible(result.failure.message)}</p>;
  const facts = [
    result.first_piece_ms != null && `first piece after ${millis(result.first_piece_ms)}`,
    result.total_ms != null && `done after ${millis(result.total_ms)}`,
    result.streams ? 'streams' : 'does not stream',
    result.calls_tools ? 'calls tools' : `does not call tools${result.tool_failure ? `: ${visible(result.tool_failure.message)}` : ''}`,
  ];
  return <p className="text-xs text-muted">Answers: {facts.filter(Boolean).join(', ')}.</p>;
}

function AddModel() {
  const [name, setName] = useState('');
  const [protocol, setProtocol] = useState<string>(PROTOCOLS[0]);
  const [url, setUrl] = useState('');
  const [model, setModel] = useState('');
  const [key, setKey] = useState('');
  const [loopback, setLoopback] = useState(false);
  return (
    <ActionButton
      small
      icon={Plus}
      label="Add model…"
      title="Add a model"
      text="Requests go to this provider only. The key is injected from the vault and never appears in a log or a tape."
      confirm="Add model"
      ready={name.trim() !== '' && url.trim() !== '' && model.trim() !== ''}
      run={() =>
        unwrap(
          client.POST('/v1/models', {
            body: { name: name.trim(), protocol, base_url: url.trim(), model: model.trim(), key: key.trim() || null, allow_loopback: loopback },
          }),
        )
      }
      records="models:changed"
      done={`${name.trim()} was added`}
      refresh={[['models']]}
    >
      <TextField label="Name" hint="Lower-case letters, digits, . _ and -" required mono first value={name} onChange={setName} />
      <Field label="Protocol">
        {(control) => (
          <select {...control} className="input" value={protocol} onChange={(event) => setProtocol(event.target.value)}>
            {PROTOCOLS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
      <TextField label="Base URL" required mono value={url} onChange={setUrl} />
      <TextField label="Model" hint="Its name at the provider" required mono value={model} onChange={setModel} />
      <TextField label="Key" hint="Name of a secret in the vault, as in global/model-key" mono value={key} onChange={setKey} />
      <label className="check">
        <input type="checkbox" checked={loopback} onChange={(event) => setLoopback(event.target.checked)} />
        <span>The provider runs on this machine</span>
      </label>
    </ActionButton>
  );
}
