import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from '@/api/client';
import { ProblemError } from '@/api/problem';
import { queries } from '@/api/queries';
import { revokeSession, sessionQuery, sessionsQuery, signOut } from '@/api/session';
import { connection } from '@/api/connection';
import { useOnline } from '@/api/use-connection';
import { CircleCheck, CircleSlash } from 'lucide-react';
import { bytes, count, millis, span, visible } from '@/lib/format';
import { setSingleKeys, useSingleKeys } from '@/lib/settings';
import { setTheme, useTheme } from '@/lib/theme';
import { ActionButton } from '@/ui/action';
import { Button } from '@/ui/button';
import { Segments } from '@/ui/chips';
import { Command } from '@/ui/copy';
import { KeyValues, PageHead, Section } from '@/ui/page';
import { State } from '@/ui/state';
import { ProblemView, QueryView } from '@/ui/states';
import { When } from '@/ui/time';
import { toast } from '@/ui/toast';
import { Models } from './settings/models';

export default function Settings() {
  const theme = useTheme();
  const keys = useSingleKeys();
  const health = useQuery(queries.health());
  return (
    <div className="page">
      <PageHead title="Settings" text="Settings of this browser, console sessions, models and the limits of every run." />
      <div className="grid max-w-[860px] gap-8">
        <Section panel title="This browser">
          <div className="rows">
            <div className="item">
              <span className="flex-1">Theme</span>
              <Segments label="Theme" value={theme} onChange={setTheme} choices={[{ id: 'system', label: 'System' }, { id: 'light', label: 'Light' }, { id: 'dark', label: 'Dark' }]} />
            </div>
            <div className="item">
              <label className="check flex-1">
                <input type="checkbox" checked={keys} onChange={(event) => setSingleKeys(event.target.checked)} />
                <span>
                  Single-key shortcuts
                  <span className="block text-xs text-subtle">J, K, A, D, / and G. Shortcuts with Ctrl stay on.</span>
                </span>
              </label>
            </div>
          </div>
        </Section>
        <Sessions />
        <Models />
        <Runner />
        <Section title="Daemon">
          <QueryView query={health}>
            {(data) => (
              <KeyValues
                rows={[
                  ['Version', data.version],
                  ['Address', <span key="a" className="fact">{location.origin}</span>],
                  ['State root', <span key="s" className="fact">{data.state_root}</span>],
                  ['Process', data.pid],
                  ['Running for', span(data.uptime_ms)],
                ]}
              />
            )}
          </QueryView>
        </Section>
      </div>
    </div>
  );
}

function Sessions() {
  const online = useOnline();
  const queryClient = useQueryClient();
  const session = useQuery(sessionQuery);
  const sessions = useQuery(sessionsQuery);
  const revoke = useMutation({
    mutationFn: revokeSession,
    onSuccess() {
      toast('Session revoked');
      void queryClient.invalidateQueries({ queryKey: ['console-sessions'] });
    },
  });
  const leave = useMutation({ mutationFn: signOut, onSuccess: () => connection.signedOut() });
  // A token that the development proxy adds has no session to list.
  if (sessions.error instanceof ProblemError && [403, 404].includes(sessions.error.status)) return null;
  return (
    <Section panel title="Console sessions" note={session.data ? `signed in as ${session.data.principal}` : undefined} more={<Button small disabled={!online} onClick={() => leave.mutate()}>Sign out</Button>}>
      <QueryView query={sessions}>
        {(list) => (
          <ul className="rows">
            {list.map((each) => (
              <li key={each.id} className="item flex-wrap">
                <span className="min-w-0 flex-1 basis-52">
                  <span className="fact">{each.id}</span>
                  {each.current && <span className="ml-2 text-xs text-muted">this browser</span>}
                  {each.user_agent !== '' && <span className="clip block text-xs text-subtle">{visible(each.user_agent)}</span>}
                </span>
                {each.last_used_at && (
                  <span className="text-xs text-muted">
                    used <When at={each.last_used_at} />
                  </span>
                )}
                {each.expires_at && (
                  <span className="text-xs text-muted">
                    expires <When at={each.expires_at} />
                  </span>
                )}
                {!each.current && (
                  <Button small kind="danger" disabled={!online || revoke.isPending} onClick={() => revoke.mutate(each.id)}>
                    Revoke
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </QueryView>
      {(revoke.isError || leave.isError) && <div className="p-4"><ProblemView error={revoke.error ?? leave.error} /></div>}
    </Section>
  );
}

const shown = (list: readonly string[] | null | undefined): string => (list == null ? 'as granted' : list.length === 0 ? 'none' : list.join(', '));

interface SwitchProps {
  title: string;
  text: string;
  on: boolean;
  /** Change to the other value: its button, what it means, and the command. */
  change: { label: string; title: string; text: string; confirm: string; setting: string; policy: Schemas['RunnerPolicy'] };
}

/** A setting of the runner policy. It changes after a dialog that says what follows. */
function PolicySwitch({ title, text, on, change }: SwitchProps) {
  const write = async (): Promise<unknown> => {
    const now = await unwrap(client.GET('/v1/runner-policy'));
    return unwrap(client.PUT('/v1/runner-policy', { body: { policy: { ...now.policy, ...change.policy }, revision: now.revision } }));
  };
  return (
    <div className="item flex-wrap">
      <span className="min-w-0 flex-1 basis-52">
        {title}
        <span className="block text-xs text-subtle">{text}</span>
      </span>
      <State look={on ? { tone: 'ok', icon: CircleCheck, word: 'On' } : { tone: 'idle', icon: CircleSlash, word: 'Off' }} />
      <ActionButton
        small
        label={`${change.label}…`}
        title={change.title}
        text={change.text}
        confirm={change.confirm}
        command={{ palyra: ['runner-policy', 'set', change.setting] }}
        run={write}
        records="policy:changed"
        done="Runner policy saved"
        refresh={[['policy']]}
      />
    </div>
  );
}

function Runner() {
  const runner = useQuery(queries.runnerPolicy());
  return (
    <Section panel title="Runner policy" note="limits of every run">
      <QueryView query={runner}>
        {({ policy }) => (
          <div className="rows">
            <PolicySwitch
              title="Runner"
              text="While it is off, calls, hooks and routines are rejected."
              on={policy.enabled !== false}
              change={
                policy.enabled !== false
                  ? { label: 'Turn off', title: 'Turn the runner off?', text: 'Running calls are cancelled, each with a receipt. New calls, hooks and routines are rejected. No data is lost.', confirm: 'Turn off', setting: 'enabled=false', policy: { enabled: false } }
                  : { label: 'Turn on', title: 'Turn the runner on?', text: 'Calls, hooks and routines run again.', confirm: 'Turn on', setting: 'enabled=true', policy: { enabled: true } }
              }
            />
            <PolicySwitch
              title="Modules that come with a call"
              text="They run without secrets and cannot write."
              on={policy.allow_inline_modules === true}
              change={
                policy.allow_inline_modules === true
                  ? { label: 'Reject', title: 'Reject modules that come with a call?', text: 'Only tools of installed skills can be called.', confirm: 'Reject modules', setting: 'allow_inline_modules=false', policy: { allow_inline_modules: false } }
                  : { label: 'Allow', title: 'Allow modules that come with a call?', text: 'A token with the scope invoke can then send code that no publisher signed. It runs in the sandbox, without secrets, and can write nothing.', confirm: 'Allow modules', setting: 'allow_inline_modules=true', policy: { allow_inline_modules: true } }
              }
            />
            <div className="px-4 py-3">
              <KeyValues
                rows={[
                  ['Fuel', policy.fuel_budget == null ? 'as requested' : count(policy.fuel_budget)],
                  ['Memory', policy.max_memory_bytes == null ? 'as requested' : bytes(policy.max_memory_bytes)],
                  ['Time', policy.wall_clock_timeout_ms == null ? 'as requested' : millis(policy.wall_clock_timeout_ms)],
                  ['Hosts', shown(policy.allowed_http_hosts)],
                  ['Secrets', shown(policy.allowed_secrets)],
                  ['Storage', shown(policy.allowed_storage_prefixes)],
                  ['Channels', shown(policy.allowed_channels)],
                ]}
              />
            </div>
            <div className="px-4 py-3">
              <Command line="palyra runner-policy show" />
            </div>
          </div>
        )}
      </QueryView>
    </Section>
  );
}
