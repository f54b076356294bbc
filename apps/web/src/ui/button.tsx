import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';

export interface ButtonLook {
  kind?: 'primary' | 'quiet' | 'danger';
  small?: boolean;
  /** A square button that contains an icon only; it needs an `aria-label`. */
  square?: boolean;
}

interface Props extends ButtonLook, ButtonHTMLAttributes<HTMLButtonElement> {
  children: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

export const look = ({ kind, small, square }: ButtonLook) => ({
  'data-kind': kind,
  'data-small': small,
  'data-square': square,
});

export function Button({ kind, small, square, className = '', type = 'button', ...rest }: Props) {
  return <button type={type} className={`btn ${className}`} {...look({ kind, small, square })} {...rest} />;
}
