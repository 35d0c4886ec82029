import type {
  AgentErrorCode,
  App,
  Chat,
  Message,
  Model,
  ModelProblem,
  Question,
  Settings,
} from '../../contract/index.ts';

/** Why something could not be done, for a person. */
export interface Problem {
  code: AgentErrorCode | 'offline';
  message: string;
}

/** The chat that is open. */
interface OpenChat {
  chat: Chat;
  messages: readonly Message[];
}

/** A few words that stay for a while, with what can be done about them. */
export interface Toast {
  id: string;
  kind: 'info' | 'warning' | 'error';
  text: string;
  action?: { label: string; run: () => void };
  /** When it goes by itself, in ms since 1970; absent: it stays until it is sent away. */
  until?: number;
}

/** All that the page knows of main. */
export interface AgentState {
  /** `undefined` until the first connection. */
  connected: boolean | undefined;
  /** Whether the page will not connect again: it belongs to an earlier start of the program. */
  isOver: boolean;
  /** `undefined` until main has said what there is. */
  settings: Settings | undefined;
  /** Why it could not be said. */
  startProblem: Problem | undefined;
  version: string;
  apps: readonly App[];
  questions: readonly Question[];
  scriptSettings: unknown;
  bash: { available: boolean; reason: string };
  /** `undefined` until they were asked for. */
  models: readonly Model[] | undefined;
  /** Why what the person has set gives no models. */
  modelProblems: readonly ModelProblem[];
  /** Whether models are being looked for. */
  isLookingForModels: boolean;
  appId: string | undefined;
  /** Of the app that is open. `undefined` while they are asked for. */
  chats: readonly Chat[] | undefined;
  chatsProblem: Problem | undefined;
  chatId: string | undefined;
  /** `undefined` while it is asked for. */
  open: OpenChat | undefined;
  openProblem: Problem | undefined;
  /** Raised when files or commits of the app became other ones: what shows them asks anew. */
  filesVersion: number;
  /** What was said of an answer that read none of the files that came with the question. */
  modelHint: { chatId: string; message: string } | undefined;
  toasts: readonly Toast[];
}

export const initialState: AgentState = {
  connected: undefined,
  isOver: false,
  settings: undefined,
  startProblem: undefined,
  version: '',
  apps: [],
  questions: [],
  scriptSettings: {},
  bash: { available: false, reason: '' },
  models: undefined,
  modelProblems: [],
  isLookingForModels: false,
  appId: undefined,
  chats: undefined,
  chatsProblem: undefined,
  chatId: undefined,
  open: undefined,
  openProblem: undefined,
  filesVersion: 0,
  modelHint: undefined,
  toasts: [],
};
