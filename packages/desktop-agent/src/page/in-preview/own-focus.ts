import { replace } from './replace.ts';

/** Leaves the focus with the agent's page while a person is at work there: an app that loads anew wants it, too. */
export function leaveFocus(): void {
  const mayFocus = (): boolean => document.hasFocus() || navigator.userActivation.isActive;
  replace(
    HTMLElement.prototype,
    'focus',
    (original) =>
      function focus(this: HTMLElement, options?: FocusOptions): void {
        if (mayFocus()) original.call(this, options);
      },
  );
}
