import { useQuery } from '@tanstack/react-query';
import { queries } from '@/api/queries';
import { DerivationCells } from '@/domain/derivation';
import { subjectOf } from '@/domain/permission';
import type { Use } from '@/domain/run-details';
import { count, visible } from '@/lib/format';

interface Props {
  grants: readonly string[] | undefined;
  capabilities: readonly Use[];
  skillId: string;
}

/** The grants that were in effect, by the tape, and how often each was used. */
export function Grants({ grants, capabilities, skillId }: Props) {
  const now = useQuery(queries.grants(skillId)).data;
  if (grants === undefined) return <p className="px-4 py-6 text-muted">The tape with the grants of this run is no longer stored.</p>;
  const other = capabilities.filter(({ capability }) => !grants.some((grant) => subjectOf(grant) === capability));
  if (grants.length === 0 && other.length === 0) return <p className="px-4 py-6 text-muted">No grant was in effect. The guest saw its input and nothing else.</p>;
  return (
    <table className="table stack">
      <thead>
        <tr>
          <th>Grant in effect</th>
          <th>
            <abbr title="Manifest, consent, profile, policy" className="no-underline">
              Now
            </abbr>
          </th>
          <th className="end">Used</th>
          <th className="end">Denied</th>
        </tr>
      </thead>
      <tbody>
        {grants.map((grant) => {
          const use = capabilities.find(({ capability }) => capability === subjectOf(grant));
          const derivation = now?.derivations.find(({ given, asked }) => asked === grant || given.includes(grant));
          return (
            <tr key={grant}>
              <td className="fact">{visible(grant)}</td>
              <td data-label="Now">{derivation ? <DerivationCells derivation={derivation} /> : <span className="text-subtle">not requested now</span>}</td>
              <td data-label="Used" className="num end">{count(use?.used ?? 0)}</td>
              <td data-label="Denied" className="num end">{count(use?.denied ?? 0)}</td>
            </tr>
          );
        })}
        {other.map(({ capability, used, denied }) => (
          <tr key={capability}>
            <td>
              <span className="fact">{visible(capability)}</span> <span className="text-xs text-bad">not granted</span>
            </td>
            <td />
            <td data-label="Used" className="num end">{count(used)}</td>
            <td data-label="Denied" className="num end text-bad">{count(denied)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
