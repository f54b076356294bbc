import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { queries } from '@/api/queries';
import { useOnline } from '@/api/use-connection';
import { checkLook } from '@/domain/status';
import { plural } from '@/lib/format';
import { Button } from '@/ui/button';
import { Command } from '@/ui/copy';
import { CopyAs } from '@/ui/copy-as';
import { PageHead } from '@/ui/page';
import { State } from '@/ui/state';
import { QueryView } from '@/ui/states';
import { Ticked } from '@/ui/ticked';

const RANK: Record<string, number> = { error: 0, warning: 1, skipped: 2, note: 3, ok: 4 };

/** The checks of the open state, worst first. */
export default function Doctor() {
  const online = useOnline();
  const doctor = useQuery(queries.doctor());
  const checks = [...(doctor.data?.checks ?? [])].sort((a, b) => (RANK[a.severity] ?? 0) - (RANK[b.severity] ?? 0));
  const bad = checks.filter(({ severity }) => severity === 'error').length;
  const warnings = checks.filter(({ severity }) => severity === 'warning').length;
  const title = !doctor.data ? 'Doctor' : bad > 0 ? `${plural(bad, 'check')} failed` : warnings > 0 ? `${plural(warnings, 'warning')}, no failures` : 'The installation is healthy';
  return (
    <div className="page">
      <PageHead
        title={title}
        text="Checks of the state, the journal and the vault. Nothing is changed."
        actions={
          <>
            <Button disabled={!online || doctor.isFetching} onClick={() => void doctor.refetch()}>
              <RotateCcw size={15} aria-hidden />
              {doctor.isFetching ? 'Checking' : 'Check again'}
            </Button>
            <CopyAs action={{ palyra: ['doctor'], path: '/v1/doctor' }} />
          </>
        }
      />
      <QueryView query={doctor}>
        {() => (
          <ul className="panel rows">
            {checks.map(({ id, severity, evidence, fix }) => (
              <li key={id} className="item flex-wrap items-start">
                <span className="w-24">
                  <State look={checkLook(severity)} />
                </span>
                <span className="fact w-48">{id}</span>
                <span className="min-w-0 flex-1 basis-64">
                  <Ticked text={evidence} />
                  {fix && (
                    <span className="mt-0.5 block text-xs text-muted">
                      <Ticked text={fix.says} />
                      {fix.automatic ? ' (done by the command below)' : ''}
                    </span>
                  )}
                </span>
              </li>
            ))}
          </ul>
        )}
      </QueryView>
      <div className="mt-5">
        <Command line={checks.some(({ fix }) => fix?.automatic) ? 'palyra doctor --fix' : 'palyra doctor'} />
      </div>
    </div>
  );
}
