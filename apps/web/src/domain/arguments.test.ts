import { describe, expect, it } from 'vitest';
import { compareArguments, members } from './arguments';

describe('arguments', () => {
  it('keeps_the_spelling_of_values', () => {
    const found = members('{"amount":1.10,"id":12345678901234567890,"list":[1,{"a":"}"}],"text":"a \\" , b"}');
    expect(found?.get('amount')).toBe('1.10');
    expect(found?.get('id')).toBe('12345678901234567890');
    expect(found?.get('list')).toBe('[1,{"a":"}"}]');
    expect(found?.get('text')).toBe('"a \\" , b"');
  });
  it('compares_with_the_last_approved_call', () => {
    const rows = compareArguments('{"a":1.10,"b":2,"d":4}', '{"a":1.1,"b":2,"c":3}');
    expect(rows?.map(({ key, change }) => [key, change])).toEqual([
      ['a', 'changed'],
      ['d', 'added'],
      ['c', 'removed'],
      ['b', 'same'],
    ]);
  });
  it('marks_nothing_without_an_earlier_call', () => {
    expect(compareArguments('{"a":1}', undefined)?.[0]?.change).toBe('same');
    expect(compareArguments('{"cut', undefined)).toBeUndefined();
    expect(compareArguments('{}', undefined)).toEqual([]);
  });
});
