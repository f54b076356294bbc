import { describe, expect, it } from 'vitest';
import type { Form } from './document';
import { initialValues, submit } from './form-values';

const FORM: Form = {
  fields: [
    { name: 'tone', type: 'select', label: 'Tone', options: ['Friendly', 'Firm'], default: 'Friendly' },
    { name: 'day', type: 'date', label: 'Day', min: '2026-01-10', required: true },
    { name: 'amount', type: 'number', label: 'Amount', min: 0, max: 10, step: 0.5 },
    { name: 'tags', type: 'multiselect', label: 'Tags', options: ['a', 'b'], min_length: 2 },
    { name: 'agree', type: 'checkbox', label: 'Agree', required: true },
    { name: 'mail', type: 'email', label: 'Mail' },
    { name: 'key', type: 'secret', label: 'Key' },
  ],
};

describe('form values', () => {
  it('starts_from_the_defaults', () => {
    expect(initialValues(FORM)).toEqual({ tone: 'Friendly', day: '', amount: '', tags: [], agree: false, mail: '', key: '' });
  });
  it('sends_typed_values_and_null_for_none', () => {
    const { values, errors } = submit(FORM, { ...initialValues(FORM), day: '2026-02-01', amount: '1.5', tags: ['a', 'b'], agree: true });
    expect(errors).toEqual({});
    expect(values).toEqual({ tone: 'Friendly', day: '2026-02-01', amount: 1.5, tags: ['a', 'b'], agree: true, mail: null, key: null });
  });
  it('names_each_field_that_breaks_a_rule', () => {
    const { errors } = submit(FORM, { tone: 'Rude', day: '2026-01-01', amount: '0.3', tags: ['a'], agree: false, mail: 'x', key: '' });
    expect(Object.keys(errors)).toEqual(['tone', 'day', 'amount', 'tags', 'agree', 'mail']);
  });
});
