import { describe, expect, it } from 'vitest';
import type { Pause, SessionEvent } from '@/api/agent';
import { apply, EMPTY } from './conversation';

type Given = { number?: number; event: string } & Record<string, unknown>;

const run = (...events: Given[]) => events.reduce((state, event) => apply(state, { at_ms: 0, run_id: 'run', ...event } as unknown as SessionEvent), EMPTY);

describe('conversation', () => {
  it('joins_pieces_and_takes_the_completed_text', () => {
    const state = run(
      { number: 1, event: 'message.completed', message_id: 'm1', role: 'user', text: 'hi' },
      { event: 'message.delta', message_id: 'm2', offset: 0, text: 'Gr' },
      { event: 'message.delta', message_id: 'm2', offset: 2, text: 'üße' },
      { event: 'message.delta', message_id: 'm2', offset: 2, text: 'üße' },
      { event: 'message.delta', message_id: 'm2', offset: 7, text: '!' },
    );
    expect(state.items.at(-1)).toMatchObject({ text: 'Grüße!', bytes: 8 });
    expect(apply(state, { number: 2, at_ms: 0, run_id: 'run', event: 'message.completed', message_id: 'm2', role: 'assistant', text: 'Grüße!' }).items).toHaveLength(2);
  });
  it('applies_an_event_once', () => {
    const event: Given = { number: 1, event: 'message.completed', message_id: 'm1', role: 'user', text: 'hi' };
    expect(run(event, event).items).toHaveLength(1);
  });
  it('follows_a_call_from_its_proposal_to_its_result', () => {
    const state = run(
      { number: 1, event: 'tool.proposed', call_id: 'c', tool_id: 'a.b.c', arguments: '{}' },
      { number: 2, event: 'tool.started', call_id: 'c', tool_id: 'a.b.c' },
      { event: 'tool.log', call_id: 'c', text: 'line' },
      { number: 3, event: 'tool.finished', call_id: 'c', tool_id: 'a.b.c', status: 'completed', tool_run_id: 'run_1', output: '1' },
      { number: 4, event: 'surface.created', surface: 's', rev: 1, document: {} },
      { number: 5, event: 'surface.created', surface: 's', rev: 2, document: {} },
    );
    expect(state.items).toHaveLength(2);
    expect(state.items[0]).toMatchObject({ status: 'completed', runId: 'run_1', log: ['line'] });
  });
  it('waits_for_a_person_and_goes_on', () => {
    const pause = { pause_id: 'p' } as Pause;
    const waiting = run({ number: 1, event: 'run.paused', pause });
    expect(waiting).toMatchObject({ run: 'run', pause });
    expect(run({ number: 1, event: 'run.paused', pause }, { number: 2, event: 'run.resumed', pause_id: 'p', status: 'answered' }).pause).toBeUndefined();
    const failed = run({ number: 1, event: 'run.paused', pause }, { number: 2, event: 'run.finished', status: 'failed', reason: 'why' });
    expect(failed).toMatchObject({ run: undefined, pause: undefined, items: [{ kind: 'end', status: 'failed', reason: 'why' }] });
  });
  it('drops_the_proposal_that_a_confirmed_form_replaces', () => {
    const pause = { pause_id: 'p', kind: 'form', tool_id: null } as Pause;
    const events: Given[] = [
      { number: 1, event: 'tool.proposed', call_id: 'c1', tool_id: 'a.b.c', arguments: '{"n":7}' },
      { number: 2, event: 'run.paused', pause },
      { number: 3, event: 'run.resumed', pause_id: 'p', status: 'answered' },
      { number: 4, event: 'tool.proposed', call_id: 'c2', tool_id: 'a.b.c', arguments: '{"n":8}' },
    ];
    expect(run(...events).items).toMatchObject([{ id: 'run/c2', arguments: '{"n":8}' }]);
  });
  it('cancels_calls_that_a_run_left_open', () => {
    const state = run(
      { number: 1, event: 'tool.proposed', call_id: 'c1', tool_id: 'a.b.c', arguments: '{}' },
      { number: 2, event: 'tool.proposed', call_id: 'c2', tool_id: 'a.b.c', arguments: '{}' },
      { number: 3, event: 'tool.started', call_id: 'c1', tool_id: 'a.b.c' },
      { number: 4, event: 'run.finished', status: 'cancelled' },
    );
    expect(state.items).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }, { kind: 'end' }]);
  });
});
