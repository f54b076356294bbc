import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { CircleCheck, Clock, Equal, type LucideIcon, Minus, Play, Plus, Type } from 'lucide-react';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '@/api/client';
import { grpc } from '@/api/grpc';
import { queries } from '@/api/queries';
import { recorded } from '@/api/recorded';
import { useOnline } from '@/api/use-connection';
import { describe } from '@/domain/manifest';
import { FindingRow } from '@/domain/finding';
import { PermissionList } from '@/domain/permission-list';
import { useSecretChecks } from '@/domain/secret-checks';
import { Withheld } from '@/domain/withheld';
import { count, short, visible } from '@/lib/format';
import { focusOnMount } from '@/lib/focus';
import { Button } from '@/ui/button';
import { CopyAs } from '@/ui/copy-as';
import { PageHead, Section } from '@/ui/page';
import { Badge, State, type StatusLook, type Tone } from '@/ui/state';
import { Blank, ProblemView, QueryView } from '@/ui/states';
import { toast } from '@/ui/toast';
import { addedWords } from '@/domain/added-words';
import { Ticked } from '@/ui/ticked';

type Row = Schemas['DiffRow'];

const LOOK: Record<Row['change'], { tone: Tone; icon: LucideIcon; word: string }> = {
  growth: { tone: 'wait', icon: Plus, word: 'Wider' },
  narrowing: { tone: 'ok', icon: Minus, word: 'Narrower' },
  text: { tone: 'info', icon: Type, word: 'Text changed' },
  neutral: { tone: 'idle', icon: Equal, word: 'Other' },
};
/** A neutral row has a new value that gives the skill nothing, or the same value. */
const lookOf = ({ change, old, new: now }: Row): StatusLook => (change === 'neutral' ? { ...LOOK.neutral, word: old === now ? 'Unchanged' : 'Changed' } : LOOK[change]);
/** Most permissions that the decision bar names, so that it never covers the page. */
const MOST_NAMED = 8;
const RANK: Record<Row['change'], number> = { growth: 0, text: 1, narrowing: 2, neutral: 3 };
const SECTIONS: Partial<Record<Row['section'], string>> = { http: 'Hosts', text: 'Model-visible text', hooks: 'Hooks', compat: 'Compatibility', config: 'Settings' };

const sectionName = (section: Row['section']): string => SECTIONS[section] ?? section.charAt(0).toUpperCase() + section.slice(1);

/** What a pending release changes, or what a new skill asks for, and the decision. */
export default function Update() {
  const { skill = '' } = useParams({ strict: false });
  const info = useQuery(queries.skill(skill));
  const consent = useQuery(queries.consent(skill));
  return (
    <div className="flex min-h-full flex-col">
      <QueryView page query={info}>
        {(data) => (
          <QueryView page query={consent}>
            {(asked) =>
              asked.needed ? (
                <Decision info={data} asked={asked} />
              ) : (
                <div className="page">
                  <PageHead title="Nothing to decide" />
                  <Blank icon={CircleCheck} title="No release waits for your consent" text={data.entry.runtime_status === 'active' ? 'The permissions of the installed release are approved.' : <Ticked text={`The skill cannot run for another reason: ${data.why}.`} />} action={<Link to="/skills/$skill" params={{ skill }} className="btn">Open the skill</Link>} />
                </div>
              )
            }
          </QueryView>
        )}
      </QueryView>
    </div>
  );
}

function Decision({ info, asked }: { info: Schemas['SkillInfo']; asked: Schemas['ConsentAsked'] }) {
  const { record } = info.entry;
  const id = record.skill_id;
  const online = useOnline();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [onlyChanges, setOnlyChanges] = useState(false);
  const { outcome, digest } = asked;
  const pending = record.waiting ?? record.current;
  const { name, version } = describe(pending, id);
  const active = describe(record.current, id).version;
  const update = record.waiting != null;
  const rows = info.waiting?.diff.rows ?? outcome.diff?.rows ?? [];
  const by = (change: Row['change']): number => rows.filter((row) => row.change === change).length;
  const secrets = outcome.secrets ?? [];
  const secretChecks = useSecretChecks(secrets);
  const wider = rows.filter(({ change }) => change === 'growth');

  const approve = useMutation({
    mutationFn: () => recorded('skill:consented', () => unwrap(client.POST('/v1/skills/{skill_id}/consent', { params: { path: { skill_id: id } }, body: { digest, secrets } }))),
    onSuccess({ entry }) {
      toast(`Approved ${id} ${version}`, entry);
      void queryClient.invalidateQueries();
      void navigate({ to: '/skills/$skill', params: { skill: id } });
    },
  });

  return (
    <>
      <div className="page flex-1">
        <PageHead
          above={<Badge look={{ tone: 'wait', icon: Clock, word: 'Awaiting consent' }} />}
          title={update ? (by('growth') > 0 ? `${name} ${version} requests more permissions than ${active}` : `${name} ${version} is ready to replace ${active}`) : `${name} ${version} waits for your consent`}
          text={
            <>
              {update ? `${active} stays active until you decide. ` : 'It cannot run until you approve what it requests. '}
              Consent applies only to this release, digest <span className="fact">{short(digest)}</span>.
            </>
          }
          actions={<CopyAs action={{ palyra: ['skills', 'consent', id, '--consent', digest, ...secrets.flatMap((secret) => ['--allow-secret', secret])], method: 'POST', path: `/v1/skills/${id}/consent`, body: { digest, secrets }, grpc: grpc.consent(id, digest, secrets) }} />}
        />
        {update && rows.length > 0 && (
          <>
            <ul className="mb-4 flex flex-wrap items-center gap-x-6 gap-y-2" aria-label="Changes">
              {(['growth', 'narrowing', 'text', 'neutral'] as const).map((change) => {
                const { tone, icon: Icon, word } = LOOK[change];
                return (
                  <li key={change} className={`tone-${tone} flex items-center gap-2`}>
                    <Icon size={16} aria-hidden className="text-[var(--tone)]" />
                    <b className="num text-lg font-medium">{count(by(change))}</b>
                    <span className="text-muted">{word.toLowerCase()}</span>
                  </li>
                );
              })}
              <li className="ml-auto">
                <label className="check">
                  <input type="checkbox" checked={onlyChanges} onChange={(event) => setOnlyChanges(event.target.checked)} />
                  <span>Changes only</span>
                </label>
              </li>
            </ul>
            <Diff rows={rows.filter(({ change }) => !onlyChanges || change !== 'neutral')} active={active} pending={version} findings={outcome.audit?.findings ?? []} />
          </>
        )}
        <Section panel title={update ? `All permissions of ${version}` : 'Permissions'} note="highest severity first" className="mt-6">
          <PermissionList permissions={outcome.permissions} />
          <Withheld grants={outcome.withheld} />
        </Section>
        {(outcome.audit?.findings.length ?? 0) > 0 && (
          <Section panel title={`Audit of ${version}`} note={`risk ${outcome.audit?.risk}`} className="mt-6">
            <ul className="rows">
              {outcome.audit?.findings.map((finding, i) => (
                <FindingRow key={`${finding.id}-${i}`} finding={finding} />
              ))}
            </ul>
          </Section>
        )}
        {approve.isError && (
          <div className="mt-5">
            <ProblemView error={approve.error} untouched="Nothing was approved." />
          </div>
        )}
      </div>
      <section aria-label="Decision" className="sticky bottom-0 border-t bg-surface">
        <div className="seal tone-wait" aria-hidden />
        <div className="mx-auto flex max-w-[1244px] flex-wrap items-center gap-x-6 gap-y-3 px-8 py-3.5 max-tab:px-4">
          <div className="grid min-w-0 flex-1 basis-72 gap-2">
            <h2>
              Approving {version} allows {update && wider.length > 0 ? plural(wider.length) : plural(outcome.permissions.length)}
            </h2>
            {update && wider.length + by('text') > 0 && (
              <ul className="flex flex-wrap gap-x-4 gap-y-1 text-muted">
                {wider.slice(0, MOST_NAMED).map((row) => (
                  <li key={`${row.section}${row.subject}`} className="fact">
                    <span className="text-wait" aria-hidden>+ </span>
                    {visible(row.new ?? row.subject)}
                  </li>
                ))}
                {wider.length > MOST_NAMED && <li>and {count(wider.length - MOST_NAMED)} more, marked above</li>}
                {by('text') > 0 && (
                  <li>
                    <span className="text-info" aria-hidden>+ </span>
                    {by('text') === 1 ? 'a changed text' : `${count(by('text'))} changed texts`} that models read
                  </li>
                )}
              </ul>
            )}
            {secretChecks.checks}
          </div>
          <div className="flex flex-wrap gap-2 max-tab:w-full max-tab:[&>.btn]:flex-1">
            <Link to="/skills/$skill" params={{ skill: id }} className="btn" ref={focusOnMount} data-autofocus>
              {update ? `Keep ${active}` : 'Not now'}
            </Link>
            <Button kind="primary" disabled={!online || approve.isPending || !secretChecks.all} onClick={() => approve.mutate()}>
              Approve {version}
            </Button>
          </div>
        </div>
      </section>
    </>
  );
}

const plural = (n: number): string => `${count(n)} ${n === 1 ? 'permission' : 'permissions'}`;

/** What a row is about; a text is named by the tool that it belongs to. */
function subjectName({ subject, section }: Row): string {
  const path = section === 'text' ? /^\/tools\/([^/]+)\/(.+)$/.exec(subject) : null;
  return visible(path ? `${(path[2] ?? '').replaceAll('/', ' ')} of ${path[1]}` : subject);
}

/** Findings of the audit about the tool whose text changed. */
function findingsAbout(findings: readonly Schemas['Finding'][], { subject }: Row): Schemas['Finding'][] {
  const tool = /^\/tools\/([^/]+)\//.exec(subject)?.[1];
  return tool === undefined ? [] : findings.filter((finding) => finding.id.startsWith('text-') && finding.subject.includes(tool));
}

interface DiffProps {
  rows: readonly Row[];
  active: string;
  pending: string;
  findings: readonly Schemas['Finding'][];
}

function Diff({ rows, active, pending, findings }: DiffProps) {
  // Sections with wider permissions come first, as they do within each section.
  const sections = [...new Set([...rows].sort((a, b) => RANK[a.change] - RANK[b.change]).map(({ section }) => section))];
  const columns = 'grid grid-cols-[168px_minmax(0,1fr)_minmax(0,1fr)] gap-4 px-4 max-tab:grid-cols-1 max-tab:gap-1.5';
  const running: StatusLook = { tone: 'ok', icon: Play, word: active };
  const waiting: StatusLook = { tone: 'wait', icon: Clock, word: pending };
  return (
    <div role="table" aria-label={`Changes between ${active} and ${pending}`} className="panel overflow-hidden">
      <div role="rowgroup">
        <div role="row" className={`${columns} border-b py-2.5 max-tab:hidden`}>
          <span role="columnheader" className="screen-reader">Change</span>
          <span aria-hidden />
          <span role="columnheader" className="flex items-center">
            <State look={running} />
            <span className="ml-1.5 text-subtle">active</span>
          </span>
          <span role="columnheader" className="flex items-center">
            <State look={waiting} />
            <span className="ml-1.5 text-subtle">pending</span>
          </span>
        </div>
      </div>
      {sections.map((section) => (
        <div key={section} role="rowgroup">
          <div role="row" className="border-b bg-sunken px-4 py-1.5">
            <span role="rowheader" className="font-medium text-muted">{sectionName(section)}</span>
          </div>
          {rows
            .filter((row) => row.section === section)
            .sort((a, b) => RANK[a.change] - RANK[b.change])
            .map((row) => {
              const look = lookOf(row);
              const soft = row.change === 'growth' ? 'bg-wait-soft shadow-[inset_3px_0_0_var(--color-wait)]' : row.change === 'text' ? 'bg-info-soft' : '';
              return (
                <div key={`${row.subject}${row.new ?? ''}`} role="row" className={`${columns} border-b py-2.5 last:border-b-0 ${soft}`}>
                  <span role="cell" className="min-w-0">
                    <State look={look} quiet={row.change === 'neutral'} />
                    <span className="mt-0.5 block text-xs break-words text-muted">{subjectName(row)}</span>
                  </span>
                  <span role="cell" className="min-w-0">
                    <span className="block text-2xs text-subtle tab:hidden">{active}, active</span>
                    {row.old != null ? (
                      <span className={row.change === 'text' ? '' : `fact ${row.change === 'narrowing' && row.new == null ? 'line-through' : ''}`}>{visible(row.old)}</span>
                    ) : (
                      <span className="text-subtle">not requested</span>
                    )}
                  </span>
                  <span role="cell" className="min-w-0">
                    <span className="block text-2xs text-subtle tab:hidden">{pending}, pending</span>
                    {row.new != null ? (
                      row.change === 'text' ? (
                        <>
                          <Marked before={row.old ?? ''} after={row.new} />
                          {findingsAbout(findings, row).map(({ id, certainty, message }) => (
                            <span key={id} className="mt-1 block text-xs">
                              Audit finding <span className="fact">{id}</span>, {certainty}: <Ticked text={message} />.
                            </span>
                          ))}
                        </>
                      ) : (
                        <span className={`fact ${row.change === 'growth' ? 'font-semibold' : ''}`}>{visible(row.new)}</span>
                      )
                    ) : (
                      <span className="text-subtle">no longer requested</span>
                    )}
                  </span>
                </div>
              );
            })}
        </div>
      ))}
    </div>
  );
}

/** Text that models read, with the added words marked. */
function Marked({ before, after }: { before: string; after: string }) {
  return (
    <span>
      {addedWords(before, after).map(({ text, added }, i) =>
        added ? (
          <ins key={i} className="bg-info-line font-medium no-underline">
            {visible(text)}
          </ins>
        ) : (
          <span key={i}>{visible(text)}</span>
        ),
      )}
    </span>
  );
}
