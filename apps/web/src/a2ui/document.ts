import type { A2uiDocument } from '../../../../schemas/typescript/a2ui';

export type {
  A2uiDocument, A2uiFormSubmitEvent, Cell, Chart, Column, Field, FieldValue, Form, List, Markdown, Table, Text, Tone,
} from '../../../../schemas/typescript/a2ui';

/** Whether a value has the shape of a document; what is inside was checked by the daemon. */
export function isDocument(value: unknown): value is A2uiDocument {
  if (typeof value !== 'object' || value === null) return false;
  const { v, surface, components } = value as Record<string, unknown>;
  return v === 1 && typeof surface === 'string' && Array.isArray(components);
}
