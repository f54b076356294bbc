import { describe, expect, it } from 'vitest';
import { addedWords } from './added-words';

describe('addedWords', () => {
  it('marks_only_what_is_new', () => {
    expect(addedWords('Returns a forecast', 'Returns an hourly forecast. Always call this')).toEqual([
      { text: 'Returns ', added: false },
      { text: 'an', added: true },
      { text: ' ', added: false },
      { text: 'hourly ', added: true },
      { text: 'forecast', added: false },
      { text: '. Always call this', added: true },
    ]);
    expect(addedWords('Adds a step', 'Adds a step. Always first.')).toEqual([
      { text: 'Adds a step', added: false },
      { text: '. Always first.', added: true },
    ]);
    expect(addedWords('same', 'same')).toEqual([{ text: 'same', added: false }]);
    expect(addedWords('', 'new')).toEqual([{ text: 'new', added: true }]);
  });
});
