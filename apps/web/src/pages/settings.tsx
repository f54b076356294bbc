import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from '@/api/client';
import { ProblemError } from '@/api/problem';
import { queries } from '@/api/queries';
import { revokeSession, sessionQuery, sessionsQuery, signOut } from '@/api/session';
import { connection } from '@/api/connection';
import { useOnline } from '@/api/use-connection';
import { bytes, count, millis, span, visible } from '@/lib/format';
import { setSingleKeys, useSingleKeys } from '@/lib/settings';
import { setTheme, useTheme } from '@/lib/theme';
import { Button } from '@/ui/button';
import { Segments } from '@/ui/chips';
import { Command } from '@/ui/copy';
import { KeyValues, PageHead, Section } from '@/ui/page';
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
      <PageHead title="Settings" text="Settings of this browser, console sessions, and the limits that every run is under." />
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
                  {each.user_agent && <span className="clip block text-xs text-subtle">{visible(each.user_agent)}</span>}
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

function Runner() {
  const online = useOnline();
  const queryClient = useQueryClient();
  const runner = useQuery(queries.runnerPolicy());
  const change = useMutation({
    mutationFn: async (policy: Schemas['RunnerPolicy']) => {
      const now = await unwrap(client.GET('/v1/runner-policy'));
      return unwrap(client.PUT('/v1/runner-policy', { body: { policy: { ...now.policy, ...policy }, revision: now.revision } }));
    },
    onSuccess() {
      toast('Runner policy saved');
      void queryClient.invalidateQueries({ queryKey: ['policy'] });
    },
  });
  return (
    <Section panel title="Runner policy" note="what every run is under">
      <QueryView query={runner}>
        {({ policy }) => (
          <div className="rows">
            <div className="item">
              <label className="check flex-1">
                <input type="checkbox" disabled={!online || change.isPending} checked={policy.enabled !== false} onChange={(event) => change.mutate({ enabled: event.target.checked })} />
                <span>
                  Runner enabled
                  <span className="block text-xs text-subtle">While it is disabled, calls, hooks and routines are rejected.</span>
                </span>
              </label>
            </div>
            <div className="item">
              <label className="check flex-1">
                <input type="checkbox" disabled={!online || change.isPending} checked={policy.allow_inline_modules === true} onChange={(event) => change.mutate({ allow_inline_modules: event.target.checked })} />
                <span>
                  Allow modules that come with a call
                  <span className="block text-xs text-subtle">They run without secrets and can write nothing.</span>
                </span>
              </label>
            </div>
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
            {change.isError && <div className="p-4"><ProblemView error={change.error} /></div>}
            <div className="px-4 py-3">
              <Command line="palyra runner-policy show" />
            </div>
          </div>
        )}
      </QueryView>
    </Section>
  );
}
