import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from './button';

interface Props {
  open: boolean;
  title: string;
  children: ReactNode;
  /** Buttons. The first field with `data-autofocus` has the focus, else the button with `data-cancel`. */
  footer?: ReactNode;
  onClose: () => void;
  wide?: boolean;
}

/** A modal dialog. The browser traps the focus and returns it to the element that had it. */
export function Dialog({ open, title, children, footer, onClose, wide }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog || !open) return;
    dialog.showModal();
    (dialog.querySelector<HTMLElement>('[data-autofocus]') ?? dialog.querySelector<HTMLElement>('[data-cancel]'))?.focus();
    return () => dialog.close();
  }, [open]);
  if (!open) return null;
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose();
      }}
      className={`m-auto mt-[10vh] max-h-[80vh] w-[calc(100%-24px)] animate-rise overflow-auto rounded-4 bg-raised p-0 shadow-dialog ${wide ? 'max-w-[720px]' : 'max-w-[560px]'}`}
    >
      <div className="flex items-center gap-2.5 pt-3.5 pr-3 pl-5">
        <h2 id={id} className="flex-1 text-lg">
          {title}
        </h2>
        <Button kind="quiet" small square aria-label="Close" onClick={onClose}>
          <X size={15} aria-hidden />
        </Button>
      </div>
      <div className="grid gap-3.5 px-5 pt-2.5 pb-4">{children}</div>
      {footer && <div className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{footer}</div>}
    </dialog>
  );
}
