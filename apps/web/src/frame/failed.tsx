import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { FileQuestion } from 'lucide-react';
import { Blank, ProblemView } from '@/ui/states';

/** An error of a page itself; the frame stays usable. */
export function Failed({ error, reset }: ErrorComponentProps) {
  return (
    <div className="page">
      <h1 className="screen-reader">The page failed</h1>
      <ProblemView error={error} onRetry={reset} />
    </div>
  );
}

export function NotFound() {
  return (
    <div className="page">
      <h1 className="screen-reader">Page not found</h1>
      <Blank
        icon={FileQuestion}
        title="There is no page at this address"
        text="The address may come from another version of the console."
        action={
          <Link to="/home" className="btn">
            Go to home
          </Link>
        }
      />
    </div>
  );
}
