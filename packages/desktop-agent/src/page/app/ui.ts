import { createContext, useContext } from 'react';
import { kept } from '../state/keep.ts';
import { createStore, useStore, type Store } from '../state/store.ts';

const tabs = ['changes', 'preview', 'files', 'versions', 'context', 'problems', 'workspace'] as const;
export type Tab = (typeof tabs)[number];

/** The tabs of the panel. There is a workspace only if commands may run. */
export function tabsOf({ bash }: { bash: boolean }): readonly Tab[] {
  return bash ? tabs : tabs.filter((tab) => tab !== 'workspace');
}
type Dialog =
  | 'settings'
  | 'commands'
  | 'folder'
  | 'waiting'
  | 'new-app'
  | 'app'
  | 'deleted'
  | 'search'
  | 'work-in-copy'
  | 'bring-in';
export type SettingsTab = 'models' | 'changes' | 'scripts' | 'tools' | 'look';

/** What is open on the page. The server does not know it. */
export interface UiState {
  /** Whether the rail is shown: beside the chat, or over it if there is no room. */
  rail: boolean;
  drawer: boolean;
  panel: boolean;
  tab: Tab;
  /** The file in the editor, and the line to go to. `at` is different for each request, also for the same line. */
  file: { path: string; line?: number; at: number } | undefined;
  /** The commit that is shown. */
  commit: string | undefined;
  /** The message whose proposal is reviewed. If it is absent, this is the last message with a proposal. */
  reviewed: string | undefined;
  /** The message that is being edited, to go on from it. */
  edited: string | undefined;
  dialog: Dialog | undefined;
  settingsTab: SettingsTab;
}

export interface Ui extends Store<UiState> {
  openTab(tab: Tab): void;
  openFile(path: string, line?: number): void;
  openSettings(tab: SettingsTab): void;
  review(messageId: string): void;
  toggleRail(): void;
  focusComposer(): void;
}

/** Below this width the rail is over the chat. The stylesheet has the same width. */
const isNarrow = (): boolean => matchMedia('(width < 768px)').matches;

export function createUi(): Ui {
  const store = createStore<UiState>({
    rail: kept.get('rail') !== 'hidden',
    drawer: false,
    panel: kept.get('panel') === 'shown' && !isNarrow(),
    tab: 'changes',
    file: undefined,
    commit: undefined,
    reviewed: undefined,
    edited: undefined,
    dialog: undefined,
    settingsTab: 'models',
  });
  store.subscribe(() => {
    const { rail, panel } = store.get();
    kept.set('rail', rail ? null : 'hidden');
    kept.set('panel', panel ? 'shown' : null);
  });
  const openTab = (tab: Tab): void => store.set({ tab, panel: true, drawer: false });
  return {
    ...store,
    openTab,
    openFile(path, line) {
      store.set({ file: { path, ...(line !== undefined && { line }), at: Date.now() } });
      openTab('files');
    },
    openSettings: (settingsTab) => store.set({ dialog: 'settings', settingsTab }),
    review(messageId) {
      store.set({ reviewed: messageId });
      openTab('changes');
    },
    toggleRail() {
      const { rail, drawer } = store.get();
      store.set(isNarrow() ? { drawer: !drawer } : { rail: !rail });
    },
    focusComposer() {
      store.set({ drawer: false, ...(isNarrow() && { panel: false }) });
      // The composer gets the focus after the closed element is gone.
      requestAnimationFrame(() => document.querySelector<HTMLElement>('#composer')?.focus());
    },
  };
}

const UiContext = createContext<Ui | undefined>(undefined);
export const UiProvider = UiContext.Provider;

export function useUi(): Ui {
  const ui = useContext(UiContext);
  if (ui === undefined) throw new Error('No UiProvider around.');
  return ui;
}

/** A part of what is open. The component renders again when the part changes. */
export function useUiState<Part>(select: (state: UiState) => Part): Part {
  return useStore(useUi(), select);
}
