import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button';
import { toast } from './toast';

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast('Copied');
  } catch {
    toast('The browser denied access to the clipboard');
  }
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1_500);
    return () => clearTimeout(timer);
  }, [done]);
  const Icon = done ? Check : Copy;
  return (
    <Button
      kind="quiet"
      small
      square
      aria-label={label}
      onClick={() => void copyText(text).then(() => setDone(true))}
    >
      <Icon size={14} aria-hidden />
    </Button>
  );
}

/** One shell line with a copy button. */
export function Command({ line }: { line: string }) {
  return (
    <div className="command">
      <span aria-hidden className="text-subtle select-none">
        $
      </span>
      <code tabIndex={0} role="group" aria-label="Command">
        {line}
      </code>
      <CopyButton text={line} label="Copy command" />
    </div>
  );
}
