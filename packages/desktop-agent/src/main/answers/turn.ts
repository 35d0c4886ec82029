// One question and its answer, while the answer is made.
import type { AttachmentStore } from '@mustard-sandbox/agent-tool';
import type { ModelMessage } from 'ai';
import type { App, Broadcast, Chat, Message, Settings } from '../../contract/index.ts';
import type { Models, OpenModel } from '../model/models.ts';
import type { BashWorkspaces } from './bash-workspaces.ts';
import type { PastMessage } from './history.ts';
import type { LiveMessage } from './live-message.ts';
import type { Wanted } from '../../changes/index.ts';
import type { Apps, Chats, ContextSource, ProblemFinder, SettingsSource } from './ports.ts';
import type { Questions } from './questions.ts';
import type { Runs } from './runs.ts';
import type { Sandboxes } from './sandboxes.ts';

/** What answers are made with. */
export interface AnswerServices {
  chats: Chats;
  apps: Apps;
  settings: SettingsSource;
  models: Models;
  questions: Questions;
  runs: Runs;
  sandboxes: Sandboxes;
  workspaces: BashWorkspaces;
  context: ContextSource;
  findProblems: ProblemFinder;
  attachments: (chatId: string) => Promise<AttachmentStore>;
  broadcast: Broadcast;
  /** For the log. Names and codes, never contents. */
  onError: (what: string, error: unknown) => void;
}

export interface Turn {
  services: AnswerServices;
  chat: Chat;
  app: App;
  settings: Settings;
  /** What the person sent. */
  question: Message;
  past: readonly PastMessage[];
  live: LiveMessage;
  model: OpenModel;
  signal: AbortSignal;
  /** What the model said in this turn, for the next one. */
  said: ModelMessage[];
}

/** What a mode gives when its answer is complete. */
export interface Answered {
  wanted?: Wanted;
}

/** The person did not want to send so much. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}
