import { describe, expect, it } from 'vitest';
import { EventParser } from './sse';

describe('EventParser', () => {
  it('joins_pieces_and_data_lines', () => {
    const parser = new EventParser();
    expect(parser.push(': greeting\n\nid: 4\nevent: run:com')).toEqual([]);
    expect(parser.push('pleted\ndata: {"a":\ndata: 1}\n')).toEqual([]);
    expect(parser.push('\n')).toEqual([{ id: '4', event: 'run:completed', data: '{"a":\n1}' }]);
  });
  it('keeps_the_last_id_and_resets_the_name', () => {
    const parser = new EventParser();
    const events = parser.push('id: 7\nevent: x\ndata: 1\n\ndata: 2\n\n');
    expect(events).toEqual([
      { id: '7', event: 'x', data: '1' },
      { id: '7', event: 'message', data: '2' },
    ]);
  });
  it('accepts_carriage_returns_across_pieces', () => {
    const parser = new EventParser();
    expect(parser.push('data: 1\r')).toEqual([]);
    expect(parser.push('\n\r\n')).toEqual([{ id: undefined, event: 'message', data: '1' }]);
  });
});
