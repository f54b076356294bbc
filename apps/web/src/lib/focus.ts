/**
 * Moves the focus to an element when it appears; a `ref` for the choice that changes nothing.
 * Elements with it carry `data-autofocus`, so that the frame does not take the focus to the page instead.
 */
export const focusOnMount = (element: HTMLElement | null): void => element?.focus({ preventScroll: true });
