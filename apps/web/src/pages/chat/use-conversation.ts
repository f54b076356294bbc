import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer, useState } from 'react';
import { agent, type SessionEvent } from '@/api/agent';
import { followStream } from '@/api/stream';
import { useOnline } from '@/api/use-connection';
import { apply, type Conversation, EMPTY } from '@/domain/conversation';

/** Reads the kept events of a session, then follows it; both go on where they stopped after a lost connection. */
export function useConversation(id: string) {
  const [state, dispatch] = useReducer((known: Conversation, events: readonly SessionEvent[]) => events.reduce(apply, known), EMPTY);
  const [error, setError] = useState<unknown>();
  const [loaded, setLoaded] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const queryClient = useQueryClient();
  const online = useOnline();

  useEffect(() => {
    if (online && error !== undefined) setAttempt((known) => known + 1);
    // A history that could not be read is read again once the daemon answers.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [online]);

  useEffect(() => {
    let stop: (() => void) | undefined;
    let gone = false;
    const onEvent = ({ data }: { data: string }): void => {
      let event: SessionEvent;
      try {
        event = JSON.parse(data) as SessionEvent;
      } catch {
        return;
      }
      dispatch([event]);
      // Deltas and log lines change nothing that is stored.
      if (event.number != null) void queryClient.invalidateQueries({ queryKey: ['sessions'] });
    };
    agent
      .history(id)
      .then((events) => {
        if (gone) return;
        dispatch(events);
        setError(undefined);
        setLoaded(true);
        // Without an id the stream would begin with what happens next, and a reconnect would miss what happened in between.
        stop = followStream(agent.events(id), { endless: true, after: String(events.at(-1)?.number ?? 0), onEvent });
      })
      .catch((reason: unknown) => {
        if (!gone) setError(reason);
      });
    return () => {
      gone = true;
      stop?.();
    };
  }, [id, attempt, queryClient]);
  return { state, error, loaded, retry: () => setAttempt((known) => known + 1) };
}
