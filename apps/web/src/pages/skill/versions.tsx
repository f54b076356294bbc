import { Link } from '@tanstack/react-router';
import { CircleX, Clock, Play } from 'lucide-react';
import { client, type Schemas, unwrap } from '@/api/client';
import { grpc } from '@/api/grpc';
import { describe } from '@/domain/manifest';
import { short } from '@/lib/format';
import { ActionButton } from '@/ui/action';
import { State } from '@/ui/state';

/** The pending, the active and the previous releases. */
export function Versions({ info }: { info: Schemas['SkillInfo'] }) {
  const { record } = info.entry;
  const id = record.skill_id;
  return (
    <>
      <ol className="panel rows">
        {record.waiting && (
          <li className="item">
            <span className="fact w-20 font-medium">{describe(record.waiting, id).version}</span>
            <State look={{ tone: 'wait', icon: Clock, word: 'Pending' }} />
            <span className="fact flex-1 text-subtle">{short(record.waiting.payload)}</span>
            <Link to="/update/$skill" params={{ skill: id }} className="btn" data-small>
              View diff
            </Link>
          </li>
        )}
        <li className="item">
          <span className="fact w-20 font-medium">{describe(record.current, id).version}</span>
          <State look={{ tone: 'ok', icon: Play, word: 'Installed' }} />
          <span className="fact flex-1 text-subtle">{short(record.current.payload)}</span>
        </li>
        {record.previous?.map((past) => (
          <li key={past.payload} className="item flex-wrap">
            <span className="fact w-20 font-medium">{past.version}</span>
            {past.damage ? <State look={{ tone: 'bad', icon: CircleX, word: 'Damaged' }} /> : <State look={{ tone: 'idle', icon: Clock, word: 'Previous' }} />}
            <span className="fact flex-1 text-subtle">{past.damage ?? short(past.payload)}</span>
            {!past.damage && (
              <ActionButton
                small
                label="Roll back…"
                title={`Roll back ${id} to ${past.version}?`}
                text="The daemon verifies and audits the stored release again. The high-water mark stays: a release that was never installed cannot be older than the newest one."
                confirm={`Roll back to ${past.version}`}
                command={{ palyra: ['skills', 'rollback', id, '--to', past.version], method: 'POST', path: `/v1/skills/${id}/rollback`, body: { version: past.version }, grpc: grpc.rollBack(id, past.version) }}
                run={() => unwrap(client.POST('/v1/skills/{skill_id}/rollback', { params: { path: { skill_id: id } }, body: { version: past.version } }))}
                records="skill:rolled_back"
                done={`${id} is at ${past.version}`}
                refresh={[['skills'], ['plugins'], ['tools']]}
              />
            )}
          </li>
        ))}
      </ol>
      <p className="mt-3 text-xs text-subtle">
        Downgrades, different bytes for a known version and a different publisher are rejected, even after removal.
      </p>
    </>
  );
}
