import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { queries } from '@/api/queries';
import { short } from '@/lib/format';
import { KeyMark } from '@/ui/keymark';
import { Badge } from '@/ui/state';
import { describe, signerOf } from './manifest';
import { trustLook } from './status';

const TONES = { 'built-in': 'ok', trusted: 'ok', tofu: 'info', quarantine: 'held', revoked: 'bad' } as const;

/**
 * Frame of the host around content of a skill. Everything in it comes from the daemon; the header stays in
 * view as long as any part of the content does.
 */
export function SurfaceFrame({ skillId, children }: { skillId: string | undefined; children: ReactNode }) {
  const skill = useQuery({ ...queries.skill(skillId ?? ''), enabled: skillId !== undefined }).data;
  const release = skill?.entry.record.current;
  return (
    <section aria-label={`Surface from ${skillId ?? 'Palyra'}`} className="overflow-clip rounded-3 border border-edge">
      <div className="sticky top-0 z-10 border-b border-edge bg-surface">
        <div className={`seal tone-${release ? TONES[release.trust] : 'idle'}`} aria-hidden />
        <header className="flex items-center gap-3 px-4 py-2.5">
          {release && <KeyMark keyId={signerOf(release)} size={28} />}
          <div className="min-w-0 flex-1">
            <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
              {skillId === undefined ? (
                <span className="font-medium">Palyra</span>
              ) : (
                <Link to="/skills/$skill" params={{ skill: skillId }} className="fact font-medium hover:underline">
                  {skillId}
                </Link>
              )}
              {release && skillId !== undefined && (
                <>
                  <span className="text-xs text-subtle">{describe(release, skillId).version}</span>
                  <Badge look={trustLook(release.trust)} />
                </>
              )}
            </div>
            {skillId === undefined && <div className="text-xs text-subtle">Form of the local router: check the values before the tool is called</div>}
            {release && (
              <div className="clip text-xs text-subtle">
                Publisher {skill.made_by.publisher} · key {short(signerOf(release).replace('ed25519:', ''), 8, 4)} · content by the skill, frame by Palyra
              </div>
            )}
          </div>
        </header>
      </div>
      <div className="bg-guest p-4">{children}</div>
      <footer className="flex items-start gap-2 border-t border-edge bg-surface px-4 py-2 text-xs text-subtle">
        <Info size={13} aria-hidden className="mt-0.5 flex-none" />
        {skillId === undefined ? 'The values become the input of the tool that the form names.' : `Input is sent to ${skillId} and recorded in the journal.`} Palyra never requests approval inside a surface.
      </footer>
    </section>
  );
}
