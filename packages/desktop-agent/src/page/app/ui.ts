import { createContext, useContext } from 'react';
import { kept } from '../state/keep.ts';
import { createStore, useStore, type Store } from '../state/store.ts';

const tabs = ['changes', 'preview', 'files', 'versions', 'context', 'problems', 'workspace'] as const;
export type Tab = (typeof tabs)[number];

/** There is a workspace only where commands may run. */
export function tabsOf({ bash }: { bash: boolean }): readonly Tab[] {
  return bash ? tabs : tabs.filter((tab) => tab !== 'workspace');
}
export type SettingsTab = 'models' | 'changes' | 'scripts' | 'tools' | 'look';

/** What is open on the page. The server knows nothing of it. */
export interface UiState {
  /** Whether the rail is shown beside the chat, and over it where there is no place beside it. */
  rail: boolean;
  drawer: boolean;
  panel: boolean;
  tab: Tab;
  /** The file in the editor, and the line to go to; `at` makes the same line twice two wishes. */
  file: { path: string; line?: number; at: number } | undefined;
  /** The commit that is looked at. */
  commit: string | undefined;
  /** The message whose proposal is reviewed; absent: the last one that has one. */
  reviewed: string | undefined;
  /** The message that is being edited, to go on from it. */
  edited: string | undefined;
  dialog: 'settings' | 'commands' | 'folder' | 'waiting' | 'new-app' | 'app' | 'deleted' | 'search' | undefined;
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

/** Below this width the rail lies over the chat; the stylesheet has the same. */
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
      // After what has been closed is gone.
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

/** A part of what is open; renders again when that part is another. */
export function useUiState<Part>(select: (state: UiState) => Part): Part {
  return useStore(useUi(), select);
}
