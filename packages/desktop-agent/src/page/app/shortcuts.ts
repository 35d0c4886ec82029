import { useEffect } from 'react';
import { useAgent } from '../state/use-agent.ts';
import { useUi } from './ui.ts';

/** Keys that work everywhere. Escape closes the topmost thing. Dialogs close themselves, and the editor has its own keys. */
export function useShortcuts(): void {
  const agent = useAgent();
  const ui = useUi();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isCommand = event.ctrlKey || event.metaKey;
      const key = event.key.toLowerCase();
      const { dialog, drawer, panel } = ui.get();
      if (isCommand && !event.shiftKey && !event.altKey && key === 'k') {
        event.preventDefault();
        // A question is answered before anything else is done.
        if (agent.store.get().questions.length === 0)
          ui.set({ dialog: dialog === 'commands' ? undefined : 'commands' });
      } else if (isCommand && event.shiftKey && key === 'o') {
        event.preventDefault();
        void agent.newChat().then(() => ui.focusComposer());
      } else if (isCommand && event.shiftKey && key === 'f') {
        event.preventDefault();
        if (agent.store.get().questions.length === 0) ui.set({ dialog: 'search' });
      } else if (isCommand && !event.shiftKey && key === ',') {
        event.preventDefault();
        ui.set({ dialog: 'settings' });
      } else if (
        event.key === 'Escape' &&
        !event.defaultPrevented &&
        document.querySelector('[role=dialog]') === null
      ) {
        if (drawer) ui.set({ drawer: false });
        // In the editor Escape gives the Tab key back to the page.
        else if (panel && document.activeElement?.closest('.ma-panel :not(.ma-code-editor)')) {
          ui.set({ panel: false });
          ui.focusComposer();
        }
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [agent, ui]);
}
