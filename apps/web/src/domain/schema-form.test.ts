import { describe, expect, it } from 'vitest';
import { collect, fieldsOf } from './schema-form';

const SCHEMA = {
  type: 'object',
  required: ['lat', 'name'],
  properties: {
    lat: { type: 'number', minimum: -90, maximum: 90 },
    hours: { type: 'integer', default: 48 },
    name: { type: 'string' },
    radar: { type: 'boolean' },
    tone: { enum: ['a', 'b'] },
    secret: { type: ['string', 'null'] },
    extra: {},
  },
};

describe('schema form', () => {
  it('derives_fields_from_properties', () => {
    const fields = fieldsOf(SCHEMA);
    expect(fields.map(({ kind }) => kind)).toEqual(['number', 'integer', 'text', 'boolean', 'choice', 'text', 'json']);
    expect(fields[0]).toMatchObject({ required: true, hint: 'number, -90 to 90' });
    expect(fields[1]?.initial).toBe('48');
    expect(fieldsOf(null)).toEqual([]);
  });
  it('collects_typed_values_and_errors', () => {
    const fields = fieldsOf(SCHEMA);
    expect(collect(fields, { lat: '49.5', hours: '2', name: 'x', extra: '[1]' })).toEqual({ value: { lat: 49.5, hours: 2, name: 'x', extra: [1] }, errors: {} });
    expect(Object.keys(collect(fields, { lat: 'north', hours: '1.5', extra: 'x' }).errors)).toEqual(['lat', 'hours', 'extra']);
    expect(collect(fields, { name: '' }).errors).toHaveProperty('lat');
  });
});
