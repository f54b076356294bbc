import type { ComponentType } from 'react';
import type { SurfaceHandlers } from '../renderer';
import { A2uiChart } from './chart';
import { A2uiForm } from './form';
import { A2uiList } from './list';
import { A2uiMarkdown } from './markdown';
import { A2uiTable } from './table';
import { A2uiText } from './text';

export interface RegistryProps<P> {
  readonly id: string;
  readonly props: P;
  readonly handlers: SurfaceHandlers;
}

/** One component per type of the document. */
export const registry: Readonly<Record<string, ComponentType<RegistryProps<never>>>> = {
  text: A2uiText,
  markdown: A2uiMarkdown,
  list: A2uiList,
  table: A2uiTable,
  form: A2uiForm,
  chart: A2uiChart,
};
