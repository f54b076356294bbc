import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { connection } from '@/api/connection';
import { OfflineError, ProblemError } from '@/api/problem';
import { sessionQuery, signIn, takeCode } from '@/api/session';
import { useConnection } from '@/api/use-connection';
import { SignIn } from '@/frame/sign-in';
import { Skeleton } from '@/ui/states';
import { router } from './router';

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A daemon on this machine answers without any network, so what the browser says about the network decides nothing.
      networkMode: 'always',
      staleTime: 10_000,
      // A problem is an answer: asking again changes nothing. A lost connection is tried again by the live stream.
      retry: (failures, error) => error instanceof OfflineError && failures < 2,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** The code of the address is taken out before anything is shown, and used once. */
const code = takeCode();
let pending: Promise<unknown> | undefined = code === undefined ? undefined : signIn(code);

function Gate() {
  const { status } = useConnection();
  const [exchanging, setExchanging] = useState(pending !== undefined);
  const [failure, setFailure] = useState<unknown>();
  const session = useQuery({ ...sessionQuery, enabled: !exchanging });

  useEffect(() => {
    if (pending === undefined) return;
    pending
      .catch((error: unknown) => setFailure(error))
      .finally(() => {
        pending = undefined;
        setExchanging(false);
      });
  }, []);

  const signedIn = (): void => {
    setFailure(undefined);
    connection.reset();
    queryClient.clear();
    void session.refetch();
  };

  const refused = session.error instanceof ProblemError && session.error.status === 401;
  if (refused || status === 'signed-out') return <SignIn error={failure} onSignedIn={signedIn} />;
  // Asking again must not take away the page, which may be the one that asked.
  if (!session.isFetched) {
    return (
      <main className="page">
        <h1 className="screen-reader">Loading</h1>
        <Skeleton />
      </main>
    );
  }
  return <RouterProvider router={router} />;
}

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Gate />
    </QueryClientProvider>
  );
}
