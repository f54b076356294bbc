import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { type A2uiFormSubmitEvent, isDocument } from '@/a2ui/document';
import { agent, type Pause } from '@/api/agent';
import { SurfaceFrame } from '@/domain/surface-frame';
import { ProblemView, Skeleton } from '@/ui/states';

const A2uiRenderer = lazy(() => import('@/a2ui/renderer').then((module) => ({ default: module.A2uiRenderer })));

interface Props {
  sessionId: string;
  name: string;
  /** The pause that waits for this surface. */
  pause: Pause | undefined;
}

/** A surface of the session at its newest revision. Its form answers the pause that waits for it. */
export function SessionSurface({ sessionId, name, pause }: Props) {
  const queryClient = useQueryClient();
  const surfaces = useQuery(agent.surfaces(sessionId));
  const surface = surfaces.data?.surfaces.find((each) => each.surface === name);
  if (!surface) {
    if (surfaces.isError) return <ProblemView error={surfaces.error} onRetry={() => void surfaces.refetch()} />;
    return surfaces.isFetching ? <Skeleton rows={2} /> : <p className="text-muted">This surface is no longer stored.</p>;
  }
  const waiting = pause?.kind === 'form' && pause.rev === surface.rev ? pause : undefined;
  const submit = async ({ componentId, values }: A2uiFormSubmitEvent): Promise<void> => {
    if (!waiting) throw new Error('no run waits for this form');
    await agent.answer(waiting, 'approve', { rev: surface.rev, componentId, values });
    void queryClient.invalidateQueries({ queryKey: ['sessions'] });
  };
  return (
    <div data-surface={name} className="scroll-mt-3">
      <SurfaceFrame skillId={surface.skill_id ?? undefined}>
        {isDocument(surface.document) ? (
          <Suspense fallback={<Skeleton rows={2} />}>
            <A2uiRenderer key={surface.rev} document={surface.document} onFormSubmit={submit} closed={waiting ? undefined : 'This form is closed: its run has ended'} />
          </Suspense>
        ) : (
          <p className="text-muted">This version of the console cannot render the document of this surface.</p>
        )}
      </SurfaceFrame>
    </div>
  );
}
