import { type FormEvent, useState } from 'react';
import { signIn } from '@/api/session';
import { useTitle } from '@/ui/page';
import { Button } from '@/ui/button';
import { Command } from '@/ui/copy';
import { Callout } from '@/ui/state';
import { ProblemView } from '@/ui/states';
import { KeyRound } from 'lucide-react';
import { Mark } from './mark';

/** Shown without a session: how to get a one-time link, and a field for its code. */
export function SignIn({ error, onSignedIn }: { error: unknown; onSignedIn: () => void }) {
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  // The failure of the link may arrive after this page; one of the form replaces it.
  const [failed, setFailed] = useState<unknown>();
  const failure = failed ?? error;
  useTitle('Sign in');

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setBusy(true);
    // A pasted link works as well as the code in it.
    const plain = /[#?&]code=([^&\s]+)/.exec(code)?.[1] ?? code.trim();
    signIn(plain)
      .then(onSignedIn, (reason: unknown) => setFailed(reason))
      .finally(() => setBusy(false));
  };

  return (
    <main className="mx-auto grid max-w-[480px] gap-5 px-5 py-[14vh]">
      <div className="flex items-center gap-2.5 text-lg font-semibold">
        <Mark size={24} />
        Palyra
      </div>
      <div>
        <h1 className="text-xl">Open the console with a one-time link</h1>
        <p className="mt-1 text-md text-muted">
          The link is valid for one use and 60 seconds. This browser then has a session that you can revoke at any time.
        </p>
      </div>
      <Command line="palyra console open" />
      <form onSubmit={submit} className="grid gap-2">
        <label htmlFor="code" className="font-medium">
          Link or code
        </label>
        <div className="flex gap-2">
          <input id="code" className="input fact" value={code} autoComplete="one-time-code" spellCheck={false} onChange={(event) => setCode(event.target.value)} />
          <Button type="submit" kind="primary" disabled={busy || code.trim() === ''}>
            Sign in
          </Button>
        </div>
      </form>
      {failure !== undefined && <ProblemView error={failure} untouched="No session was created." />}
      <Callout tone="idle" icon={KeyRound}>
        The owner token never enters the browser. Scripts of a page cannot read the session cookie.
      </Callout>
    </main>
  );
}
