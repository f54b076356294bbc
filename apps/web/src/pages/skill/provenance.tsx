import { useQuery } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from '@/api/client';
import { queries } from '@/api/queries';
import { KeyHistory } from '@/domain/key-history';
import { Steps } from '@/domain/steps';
import { trustLook } from '@/domain/status';
import { plural, short, visible } from '@/lib/format';
import { Command, CopyButton } from '@/ui/copy';
import { KeyMark } from '@/ui/keymark';
import { KeyValues, Section } from '@/ui/page';
import { Badge } from '@/ui/state';
import { ProblemView, QueryView } from '@/ui/states';

const TONES = { 'built-in': 'ok', trusted: 'ok', tofu: 'info', quarantine: 'held', revoked: 'bad' } as const;

/** Who signed the release, and the verification of its stored bytes, done now. */
export function Provenance({ info }: { info: Schemas['SkillInfo'] }) {
  const { record } = info.entry;
  const { current } = record;
  const verified = useQuery({
    queryKey: ['verify', record.skill_id, current.payload],
    queryFn: () => unwrap(client.POST('/v1/skills/{skill_id}/verify', { params: { path: { skill_id: record.skill_id } } })),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
  return (
    <div className="main-side">
      <div className="grid min-w-0 gap-6">
        <section className="panel overflow-hidden" aria-label="Origin">
          <div className={`seal tone-${TONES[current.trust]}`} aria-hidden />
          <div className="flex flex-wrap items-start gap-4 p-4">
            <KeyMark keyId={current.signers[0] ?? current.payload} size={72} />
            <div className="min-w-0 flex-1 basis-64">
              <div className="flex flex-wrap items-center gap-2">
                <h2 className="text-md">{record.publisher}</h2>
                <Badge look={trustLook(current.trust)} />
              </div>
              {current.signers.map((signer) => (
                <div key={signer} className="mt-2 flex items-start gap-1">
                  <span className="fact grid flex-1 grid-cols-[repeat(auto-fit,72px)] gap-x-3 gap-y-0.5">
                    {(signer.replace(/^ed25519:/, '').match(/.{1,8}/g) ?? []).map((group, i) => (
                      <span key={i}>{group}</span>
                    ))}
                  </span>
                  <CopyButton text={signer} label="Copy fingerprint" />
                </div>
              ))}
            </div>
          </div>
        </section>
        <KeyHistory publisher={record.publisher} empty={current.trust === 'built-in' ? 'The program contains the digest of this release, so no publisher key is needed.' : 'The journal has no event about the keys of this publisher.'} />
        <Components skillId={record.skill_id} payload={current.payload} />
        <Section panel title="Stored bytes, verified now">
          <QueryView query={verified}>
            {({ steps }) => <Steps steps={steps.map(({ name, checked, found }) => ({ name, checked, found }))} />}
          </QueryView>
        </Section>
      </div>
      <aside aria-label="Digests" className="grid min-w-0 gap-5">
        <Section title="Digests">
          <KeyValues
            rows={[
              ['Payload', <Digest key="p" value={current.payload} />],
              ['Archive', <Digest key="a" value={current.archive} />],
              verified.data && ['Package', <Digest key="s" value={verified.data.sha256} />],
              current.consent ? ['Consent', <Digest key="c" value={current.consent} />] : ['Consent', 'none'],
              ['Version', visible(verified.data?.version ?? String((current.manifest as Record<string, unknown>).version ?? ''))],
            ]}
          />
        </Section>
        <Command line={`palyra skills verify ${record.skill_id}`} />
      </aside>
    </div>
  );
}

/** What the release is made of, by its bill of materials. */
function Components({ skillId, payload }: { skillId: string; payload: string }) {
  const components = useQuery(queries.components(skillId, payload));
  if (components.isError) return <ProblemView error={components.error} />;
  if (!components.data) return null;
  const { modules, dependencies } = components.data;
  return (
    <Section panel title="Components" note={`${plural(modules.length, 'module')}, ${plural(dependencies.length, 'dependency', 'dependencies')}`}>
      <div className="rows max-h-[320px] overflow-auto" tabIndex={0} role="region" aria-label="List of components">
        {modules.map(({ path, sha256, producers }) => (
          <div key={path} className="item flex-wrap">
            <span className="fact flex-1 basis-52">{visible(path)}</span>
            <span className="text-xs text-muted">{visible(producers.join(', '))}</span>
            <Digest value={sha256} />
          </div>
        ))}
        {dependencies.map(({ name, version, purl }) => (
          <div key={`${name}@${version}`} className="item" title={purl ? visible(purl) : undefined}>
            <span className="fact flex-1">{visible(name)}</span>
            <span className="fact text-muted">{visible(version)}</span>
          </div>
        ))}
      </div>
    </Section>
  );
}

function Digest({ value }: { value: string }) {
  return (
    <span className="flex items-center gap-1">
      <span className="fact">{short(value)}</span>
      <CopyButton text={value} label="Copy digest" />
    </span>
  );
}
