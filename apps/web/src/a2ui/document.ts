/** Types of an A2UI document, version 1. The daemon validates a document before it stores or sends it. */

export type Tone = 'normal' | 'muted' | 'success' | 'warning' | 'critical';
export type Cell = string | number | boolean | null;

export interface TextProps {
  readonly value: string;
  readonly tone?: Tone;
}

export interface MarkdownProps {
  readonly value: string;
}

export type ListItem = string | { readonly label: string; readonly value?: Cell; readonly detail?: string; readonly tone?: Tone };

export interface ListProps {
  readonly ordered?: boolean;
  readonly items: readonly ListItem[];
}

export interface Column {
  readonly key: string;
  readonly label: string;
  readonly type?: 'text' | 'number' | 'boolean' | 'date' | 'datetime';
  readonly align?: 'start' | 'center' | 'end';
}

export interface TableProps {
  readonly columns: readonly Column[];
  readonly rows: readonly Readonly<Record<string, Cell>>[];
  readonly caption?: string;
  readonly sort?: { readonly key: string; readonly direction?: 'ascending' | 'descending' };
  readonly page_size?: number;
}

export interface ChartProps {
  readonly kind: 'bar' | 'line' | 'area' | 'pie' | 'scatter';
  readonly x: { readonly type?: 'category' | 'number' | 'time'; readonly values: readonly Cell[]; readonly label?: string };
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  readonly title?: string;
  readonly units?: string;
}

export type FieldValue = string | number | boolean | readonly string[];

export interface FormField {
  readonly name: string;
  readonly type: 'text' | 'textarea' | 'email' | 'number' | 'select' | 'multiselect' | 'checkbox' | 'date' | 'datetime' | 'slider' | 'secret';
  readonly label: string;
  readonly hint?: string;
  readonly required?: boolean;
  readonly default?: FieldValue;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly step?: number;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly options?: readonly string[];
}

export interface FormProps {
  readonly title?: string;
  readonly submit_label?: string;
  readonly tool?: string;
  readonly fields: readonly FormField[];
}

export interface A2uiComponent {
  readonly id: string;
  readonly type: string;
  readonly props: unknown;
}

export interface A2uiDocument {
  readonly v: number;
  readonly surface: string;
  readonly components: readonly A2uiComponent[];
}

/** What a person submitted; null stands for no value. */
export interface A2uiFormSubmitEvent {
  readonly componentId: string;
  readonly values: Readonly<Record<string, FieldValue | null>>;
}

/** Whether a value has the shape of a document; what is inside was checked by the daemon. */
export function isDocument(value: unknown): value is A2uiDocument {
  if (typeof value !== 'object' || value === null) return false;
  const { v, surface, components } = value as Record<string, unknown>;
  return v === 1 && typeof surface === 'string' && Array.isArray(components);
}
