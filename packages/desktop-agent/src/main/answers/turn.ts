// One question and its answer, while the answer is made.
import type { AttachmentSource, AttachmentStore } from '@mustard-sandbox/agent-tool';
import type { ModelMessage } from 'ai';
import type { App, Broadcast, Chat, Message, ProblemReport, Settings } from '../../contract/index.ts';
import type { Overlay } from '../context/index.ts';
import type { Models, OpenModel } from '../model/models.ts';
import type { Allowances } from './allowances.ts';
import type { BashWorkspaces } from './bash-workspaces.ts';
import type { PastMessage } from './history.ts';
import type { LiveMessage } from './live-message.ts';
import type { Apps, Chats, ContextSource, SettingsSource } from './ports.ts';
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
  allowances: Allowances;
  runs: Runs;
  sandboxes: Sandboxes;
  workspaces: BashWorkspaces;
  context: ContextSource;
  /** Of the app as it would be. What a person allowed for this app is known to it. */
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
  /** What the chat is about, where the model said so. */
  title?: string;
}

/** What a cancelled answer ends with, for people and for the next turn of the model. */
export const cancelledMark = '[Response cancelled by user]';

/** With what, why and what to do, for a person. */
export class AnswerFailed extends Error {
  override readonly name = 'AnswerFailed';
}

/** The person did not want to send so much. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}

export function textOfQuestion({ question }: Pick<Turn, 'question'>): string {
  return question.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}
