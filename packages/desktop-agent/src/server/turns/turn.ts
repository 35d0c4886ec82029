// One message of a person and its answer, while the answer is made.
import type { AttachmentSource, AttachmentStore } from '@mustard-sandbox/agent-tool';
import type { ModelMessage } from 'ai';
import type { App, Broadcast, Chat, Message, ProblemReport, Settings } from '../../shared/contract/index.ts';
import type { Overlay } from '../context/index.ts';
import type { RerunStore } from '../chats/rerun-store.ts';
import type { Models, OpenModel } from '../models/models.ts';
import type { Allowances } from '../consents/allowances.ts';
import type { BashWorkspaces } from '../workspace/bash-workspaces.ts';
import { writtenIn, type PastMessage } from './history.ts';
import type { LiveMessage } from './live-message.ts';
import type { Toolbox } from '../mcp/toolbox.ts';
import type { ToolRuns } from '../mcp/tool-runs.ts';
import type { Apps, Chats, SettingsSource } from './ports.ts';
import type { Questions } from '../consents/questions.ts';
import type { RunEvents } from './run-events.ts';
import type { SavedFiles } from '../uploads/saved-files.ts';
import type { Sandboxes } from './sandboxes.ts';

/** What answers are made with. */
export interface TurnServices {
  chats: Chats;
  reruns: RerunStore;
  apps: Apps;
  settings: SettingsSource;
  models: Models;
  questions: Questions;
  allowances: Allowances;
  runs: RunEvents;
  /** Scripts that call tools of MCP servers. */
  toolRuns: ToolRuns;
  toolbox: Toolbox;
  sandboxes: Sandboxes;
  saved: SavedFiles;
  workspaces: BashWorkspaces;
  /** Finds problems of the app as it would be. It knows what a person allowed for this app. */
  findProblems: (app: App, overlay: Overlay, signal: AbortSignal) => Promise<ProblemReport>;
  /** Where the files of a chat are kept. */
  attachments: (chatId: string) => Promise<AttachmentStore>;
  /** Those that its model can read. */
  sent: (chatId: string) => Promise<AttachmentSource>;
  broadcast: Broadcast;
  /** For the log. Names and codes, never contents. */
  onError: (what: string, error: unknown) => void;
}

export interface Turn {
  services: TurnServices;
  chat: Chat;
  app: App;
  settings: Settings;
  /** What the person sent. */
  message: Message;
  past: readonly PastMessage[];
  live: LiveMessage;
  model: OpenModel;
  signal: AbortSignal;
  /** What the model said in this turn, for the next one. */
  said: ModelMessage[];
}

/** What a mode gives when its answer is complete. */
export interface Answered {
  /** What the chat is about, where the model said so. */
  title?: string;
}

/** With what, why and what to do, for a person. */
export class AnswerFailed extends Error {
  override readonly name = 'AnswerFailed';
}

/** The person stopped the answer. */
export class Cancelled extends Error {}
/** The program ends: what waits goes on waiting. */
export class Closing extends Error {}

/** The person did not want to send so much. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}

export function textOfMessage({ message }: Pick<Turn, 'message'>): string {
  return writtenIn(message.parts);
}
