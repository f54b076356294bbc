import * as Radix from '@radix-ui/react-dropdown-menu';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

export interface MenuItem {
  readonly label: string;
  readonly icon?: LucideIcon;
  readonly hint?: string;
  readonly checked?: boolean;
  readonly onSelect: () => void;
}

interface Props {
  trigger: ReactNode;
  title?: string;
  items: readonly MenuItem[];
  align?: 'start' | 'end';
}

/** A menu that does not block the page: a modal one would need a style sheet of its own, which the CSP forbids. */
export function Menu({ trigger, title, items, align = 'end' }: Props) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={6}
          collisionPadding={12}
          className="z-40 max-h-[70vh] min-w-52 animate-rise overflow-auto rounded-3 border bg-raised p-1.5 shadow-float"
        >
          {title && <Radix.Label className="px-2.5 pt-1 pb-0.5 text-2xs font-medium text-subtle">{title}</Radix.Label>}
          {items.map(({ label, icon: Icon, hint, checked, onSelect }) => (
            <Radix.Item
              key={label}
              onSelect={onSelect}
              className="flex min-h-8 cursor-pointer items-center gap-2.5 rounded-2 px-2.5 data-[highlighted]:bg-hover max-tab:min-h-11"
            >
              {Icon && <Icon size={15} aria-hidden className="text-subtle" />}
              <span className={checked ? 'font-medium' : ''}>{label}</span>
              {hint && <span className="ml-auto pl-4 text-xs text-subtle">{hint}</span>}
            </Radix.Item>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
