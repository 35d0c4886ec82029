import type {
  AgentErrorCode,
  App,
  Chat,
  Message,
  Model,
  ModelProblem,
  Preview,
  Question,
  QueuedMessage,
  Rerun,
  Server,
  Settings,
  ToolRun,
  WaitingRun,
} from '../../shared/contract/index.ts';

/** Why something could not be done, for a person. */
export interface Problem {
  code: AgentErrorCode | 'offline';
  message: string;
}

/** The open chat. */
interface OpenChat {
  chat: Chat;
  messages: readonly Message[];
  reruns: readonly Rerun[];
  toolRuns: readonly ToolRun[];
  /** The waiting messages. */
  queue: readonly QueuedMessage[];
}

/** A short message that stays for a while, with its actions. */
export interface Toast {
  id: string;
  kind: 'info' | 'warning' | 'error';
  text: string;
  action?: { label: string; run: () => void };
  /** When it disappears, in ms since 1970. If it is absent, the message stays until it is closed. */
  until?: number;
}

/** All that the page knows of the server. */
export interface AgentState {
  /** `undefined` until the first connection. */
  connected: boolean | undefined;
  /** Whether the page will not connect again: it belongs to an earlier start of the program. */
  isOver: boolean;
  /** `undefined` until the server has sent the state. */
  settings: Settings | undefined;
  /** Why the state could not be loaded. */
  startProblem: Problem | undefined;
  version: string;
  apps: readonly App[];
  questions: readonly Question[];
  /** Scripts in any chat that wait for the person. */
  waitingRuns: readonly WaitingRun[];
  /** The run of them that is shown. */
  lookedAt: ToolRun | undefined;
  /** MCP servers; `undefined` until they are loaded. */
  servers: readonly Server[] | undefined;
  scriptSettings: unknown;
  bash: { available: boolean; reason: string };
  /** `undefined` until they were asked for. */
  models: readonly Model[] | undefined;
  /** Why servers and keys of the person give no models. */
  modelProblems: readonly ModelProblem[];
  /** Whether models are being looked for. */
  isLookingForModels: boolean;
  appId: string | undefined;
  /** The chats of the open app. `undefined` while they are loading. */
  chats: readonly Chat[] | undefined;
  chatsProblem: Problem | undefined;
  chatId: string | undefined;
  /** `undefined` while it is loading. */
  open: OpenChat | undefined;
  openProblem: Problem | undefined;
  /** Raised when files or commits of the app change, so that what shows them loads them again. */
  filesVersion: number;
  /** The progress of the running git task. */
  gitProgress: { taskId: string; phase: string; percent: number } | undefined;
  /** The previews of apps that were shown or have changed. */
  previews: Readonly<Record<string, Preview>>;
  /** Raised when the dev script of the open app printed more, and when its page shall be loaded again. */
  previewPrinted: number;
  previewReloads: number;
  /** A hint about an answer that read none of the files that came with the question. */
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
  waitingRuns: [],
  lookedAt: undefined,
  servers: undefined,
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
  gitProgress: undefined,
  previews: {},
  previewPrinted: 0,
  previewReloads: 0,
  modelHint: undefined,
  toasts: [],
};
