import { Search } from 'lucide-react';
import { useRef } from 'react';
import { useKeys } from '@/lib/keys';

interface Props {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}

/** Filter of a list; `/` moves the focus to it. */
export function SearchField({ label, placeholder, value, onChange }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => input.current?.focus() });
  return (
    <div className="relative w-[260px] min-w-0 max-tab:w-full">
      <Search size={15} aria-hidden className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-subtle" />
      <input ref={input} type="search" className="input pl-8" aria-label={label} placeholder={placeholder} value={value} onChange={(event) => onChange(event.target.value)} />
    </div>
  );
}
