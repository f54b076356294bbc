import { useQuery } from '@tanstack/react-query';
import { Info } from 'lucide-react';
import { isDocument } from '@/a2ui/document';
import { queries } from '@/api/queries';
import { ToolSurface } from '@/domain/tool-surface';
import type { RunDetails } from '@/domain/run-details';
import type { Tape } from '@/domain/tape';
import { short } from '@/lib/format';
import { Json, prettyJson } from '@/ui/json';
import { Callout } from '@/ui/state';

interface Props {
  tape: Tape | undefined;
  details: RunDetails;
  failed: string | undefined;
  toolId: string;
  skillId: string;
}

export function InputOutput({ tape, details, failed, toolId, skillId }: Props) {
  const tool = useQuery(queries.tool(toolId)).data;
  const output = tape?.output === undefined ? undefined : prettyJson(tape.output);
  const document = tool?.returns === 'a2ui' && isDocument(output) ? output : undefined;
  return (
    <div className="grid grid-cols-2 gap-5 p-4 max-tab:grid-cols-1">
      {document && (
        <div className="col-span-full">
          <ToolSurface skillId={skillId} document={document} />
        </div>
      )}
      <Value title="Input" text={tape?.input} digest={details.input_sha256} missing="The tape with the input is not kept any more." />
      <Value
        title="Output"
        text={tape?.output}
        digest={details.output_sha256}
        missing={
          failed === 'capability_denied'
            ? 'No output. Using a capability that is not granted ends the run, even if the guest handles the error.'
            : failed
              ? `No output: the run ended with ${failed}.`
              : 'The tape with the output is no longer stored.'
        }
      />
    </div>
  );
}

function Value({ title, text, digest, missing }: { title: string; text: string | undefined; digest: string | undefined; missing: string }) {
  return (
    <div className="min-w-0">
      <div className="mb-2 flex items-baseline gap-2">
        <h2>{title}</h2>
        {digest && <span className="fact ml-auto text-subtle">sha256 {short(digest)}</span>}
      </div>
      {text === undefined ? (
        <Callout tone="idle" icon={Info}>
          {missing}
        </Callout>
      ) : (
        <Json value={prettyJson(text)} label={title} />
      )}
    </div>
  );
}
