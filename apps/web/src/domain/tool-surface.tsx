import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { A2uiDocument, A2uiFormSubmitEvent, Form } from '@/a2ui/document';
import { client, unwrap } from '@/api/client';
import { Skeleton } from '@/ui/states';
import { toast } from '@/ui/toast';
import { SurfaceFrame } from './surface-frame';

const A2uiRenderer = lazy(() => import('@/a2ui/renderer').then((module) => ({ default: module.A2uiRenderer })));

/** A document that a tool returned outside of a session. Its forms call the tool that they name. */
export function ToolSurface({ skillId, document }: { skillId: string; document: A2uiDocument }) {
  const navigate = useNavigate();
  const submit = async ({ componentId, values }: A2uiFormSubmitEvent): Promise<void> => {
    const form = document.components.find(({ id }) => id === componentId)?.props as Form | undefined;
    if (!form?.tool) throw new Error('the form names no tool, so it can be submitted in a session only');
    if (form.fields.some(({ type }) => type === 'secret')) throw new Error('a form with a secret can be submitted in a session only');
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
    const answer = await unwrap(client.POST('/v1/tools/{tool}/invoke', { params: { path: { tool: form.tool } }, body: { input: given as never, skill_id: skillId } }));
    toast(`${form.tool} completed`, answer.receipt.sequence);
    void navigate({ to: '/runs/$run/$tab', params: { run: answer.run_id, tab: 'io' } });
  };
  return (
    <SurfaceFrame skillId={skillId}>
      <Suspense fallback={<Skeleton rows={2} />}>
        <A2uiRenderer document={document} onFormSubmit={submit} />
      </Suspense>
    </SurfaceFrame>
  );
}
