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

/** The chat that is open. */
interface OpenChat {
  chat: Chat;
  messages: readonly Message[];
  reruns: readonly Rerun[];
  toolRuns: readonly ToolRun[];
  /** Messages that wait. */
  queue: readonly QueuedMessage[];
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

/** All that the page knows of the server. */
export interface AgentState {
  /** `undefined` until the first connection. */
  connected: boolean | undefined;
  /** Whether the page will not connect again: it belongs to an earlier start of the program. */
  isOver: boolean;
  /** `undefined` until the server has said what there is. */
  settings: Settings | undefined;
  /** Why it could not be said. */
  startProblem: Problem | undefined;
  version: string;
  apps: readonly App[];
  questions: readonly Question[];
  /** Scripts that wait for the person, in whatever chat. */
  waitingRuns: readonly WaitingRun[];
  /** The one of them that is looked at. */
  lookedAt: ToolRun | undefined;
  /** MCP servers; `undefined` until they were asked for. */
  servers: readonly Server[] | undefined;
  scriptSettings: unknown;
  bash: { available: boolean; reason: string };
  /** `undefined` until they were asked for. */
  models: readonly Model[] | undefined;
  /** Why what the person has set gives no models. */
  modelProblems: readonly ModelProblem[];
  /** Whether models are being looked for. */
  isLookingForModels: boolean;
  appId: string | undefined;
  /** The chats of the open app. `undefined` while they are loading. */
  chats: readonly Chat[] | undefined;
  chatsProblem: Problem | undefined;
  chatId: string | undefined;
  /** `undefined` while it is asked for. */
  open: OpenChat | undefined;
  openProblem: Problem | undefined;
  /** Raised when files or commits of the app became other ones: what shows them asks anew. */
  filesVersion: number;
  /** Of the task of git that runs. */
  gitProgress: { taskId: string; phase: string; percent: number } | undefined;
  /** The previews of apps that were looked at, or that changed. */
  previews: Readonly<Record<string, Preview>>;
  /** Raised when the dev script of the open app printed more, and when its page is to be loaded again. */
  previewPrinted: number;
  previewReloads: number;
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
