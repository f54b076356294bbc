import { useSyncExternalStore } from 'react';
import { connection, type ConnectionState } from './connection';

export const useConnection = (): ConnectionState => useSyncExternalStore(connection.subscribe, connection.get);

/** Whether actions that change something are possible now. */
export const useOnline = (): boolean => useConnection().status !== 'offline';

/** Asks every stream to reconnect at once. */
export const retryConnection = (): void => {
  dispatchEvent(new Event('palyra:retry'));
};
