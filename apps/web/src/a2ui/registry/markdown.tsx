import { lazy, Suspense } from 'react';
import { visible } from '@/lib/format';
import type { Markdown } from '../document';
import type { RegistryProps } from './index';

const GuestMarkdown = lazy(() => import('@/ui/guest-markdown'));

export function A2uiMarkdown({ props: { value } }: RegistryProps<Markdown>) {
  const text = visible(value);
  return (
    <Suspense fallback={<p className="text-md whitespace-pre-wrap">{text}</p>}>
      <GuestMarkdown text={text} />
    </Suspense>
  );
}
