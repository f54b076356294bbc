import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Upload } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type Schemas, sendJson } from '@/api/client';
import { recorded } from '@/api/recorded';
import { useOnline } from '@/api/use-connection';
import { bytes } from '@/lib/format';
import { PageHead } from '@/ui/page';
import { Blank, ProblemView, Skeleton } from '@/ui/states';
import { toast } from '@/ui/toast';
import { Review } from './install/review';

export interface Choices {
  readonly allowTofu: boolean;
  readonly consent: string | undefined;
  readonly secrets: readonly string[];
}

/** Sends a package; `plan` stores nothing. */
export function send(path: '/v1/packages/plan' | '/v1/skills', file: File, choices: Choices): Promise<Schemas['InstallOutcome']> {
  const query = new URLSearchParams();
  if (choices.allowTofu) query.set('allow_tofu', 'true');
  if (choices.consent) query.set('consent', choices.consent);
  if (choices.secrets.length > 0) query.set('secrets', choices.secrets.join(','));
  const suffix = query.size > 0 ? `?${query}` : '';
  return sendJson(`${path}${suffix}`, { method: 'POST', headers: { 'content-type': 'application/vnd.palyra.skill' }, body: file });
}

/** Upload, verify, audit, publisher, permissions, decision. Nothing is stored before the last one. */
export default function Install() {
  const [file, setFile] = useState<File>();
  const [over, setOver] = useState(false);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const online = useOnline();
  // The plan assumes that the key is pinned, so that it can show what would follow. The person still decides.
  const plan = useMutation({ mutationFn: (picked: File) => send('/v1/packages/plan', picked, { allowTofu: true, consent: undefined, secrets: [] }) });
  const install = useMutation({
    mutationFn: (choices: Choices) => {
      if (!file) throw new Error('no package was chosen');
      return recorded('skill:installed,skill:updated,skill:awaiting_consent', () => send('/v1/skills', file, choices));
    },
    onSuccess({ result: outcome, entry }) {
      toast(`Installed ${outcome.record.skill_id}`, entry);
      void queryClient.invalidateQueries();
      void navigate(outcome.placement === 'waiting' ? { to: '/update/$skill', params: { skill: outcome.record.skill_id } } : { to: '/skills/$skill', params: { skill: outcome.record.skill_id } });
    },
  });
  const { mutate } = plan;
  useEffect(() => {
    if (file) mutate(file);
  }, [file, mutate]);

  if (!file || plan.isError) {
    return (
      <div className="page">
        <PageHead title="Install a skill" text="The daemon verifies and audits the package first. Nothing is stored and no code runs before you decide." />
        <label
          className={`panel block cursor-pointer border-dashed focus-within:outline-2 focus-within:outline-accent ${over ? 'bg-accent-soft' : ''}`}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setOver(false);
            setFile(event.dataTransfer.files[0]);
          }}
        >
          <Blank icon={Upload} title="Choose a .palyra-skill file" text="Or drop it here. At most 128 MiB." />
          <input
            type="file"
            aria-label="Package file"
            className="screen-reader"
            disabled={!online}
            onChange={(event) => {
              plan.reset();
              setFile(event.target.files?.[0]);
            }}
          />
        </label>
        {plan.isError && (
          <div className="mt-5">
            <ProblemView error={plan.error} untouched="Nothing was stored." onRetry={file ? () => plan.mutate(file) : undefined} />
          </div>
        )}
      </div>
    );
  }
  if (!plan.data) {
    return (
      <div className="page">
        <PageHead title={`Verifying ${file.name}`} text={`${bytes(file.size)}. Nothing is stored.`} />
        <Skeleton rows={6} />
      </div>
    );
  }
  return <Review file={file} outcome={plan.data} busy={install.isPending} error={install.error} onInstall={(choices) => install.mutate(choices)} />;
}
