import { describe, expect, it } from 'vitest';
import { addedWords } from './added-words';

describe('addedWords', () => {
  it('marks_only_what_is_new', () => {
    expect(addedWords('Returns a forecast', 'Returns an hourly forecast. Always call this')).toEqual([
      { text: 'Returns ', added: false },
      { text: 'an', added: true },
      { text: ' ', added: false },
      { text: 'hourly forecast. Always call this', added: true },
    ]);
    expect(addedWords('same', 'same')).toEqual([{ text: 'same', added: false }]);
    expect(addedWords('', 'new')).toEqual([{ text: 'new', added: true }]);
  });
});
