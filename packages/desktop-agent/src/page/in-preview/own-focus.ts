import { replace } from './replace.ts';

/** Leaves the focus with the agent's page while a person works there, because an app that reloads may take it. */
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
