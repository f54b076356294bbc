import type { Schemas } from '@/api/client';
import { visible } from '@/lib/format';
import { KeyValues } from '@/ui/page';
import { Badge, State } from '@/ui/state';
import { effectLook, severityLook } from './status';
import { Ticked } from '@/ui/ticked';

/** One finding of an audit: severity, location, fix and how to accept it. */
export function FindingRow({ finding }: { finding: Schemas['Finding'] }) {
  return (
    <li className="grid gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <State look={severityLook(finding.severity)} />
        <span className="fact font-medium">{finding.id}</span>
        <span className="text-xs text-subtle">{finding.certainty}</span>
        <span className="ml-auto">
          <Badge look={effectLook(finding.effect)} />
        </span>
      </div>
      <p className="break-words"><Ticked text={finding.message} /></p>
      <KeyValues
        rows={[
          ['Location', <span key="l" className="fact">{visible(finding.subject)}</span>],
          finding.evidence ? ['Evidence', <span key="e" className="fact">{visible(finding.evidence)}</span>] : undefined,
          ['Fix', <Ticked key="f" text={finding.remedy} />],
          ['Accept', <Ticked key="a" text={finding.silence} />],
        ]}
      />
    </li>
  );
}
