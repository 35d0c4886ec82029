// What answers need of the other parts of main. Each is a part of what that part gives, so that it can be read here.
import type { App, Chat, Message, Proposal, Settings } from '../../contract/index.ts';
import type { ContextReader, Overlay } from '../context/index.ts';
import type { findProblems } from '../problems/index.ts';

/** The rows of chats and messages, as `ChatStore` has them. */
export interface Chats {
  get(chatId: string): Promise<Chat>;
  update(chatId: string, change: { title?: string }): Promise<Chat>;
  listMessages(chatId: string): Promise<Message[]>;
  getMessage(chatId: string, messageId: string): Promise<Message>;
  listModelMessages(
    chatId: string,
  ): Promise<{ messageId: string; role: Message['role']; modelMessages: unknown[] | null }[]>;
  add(...added: readonly [NewMessage, ...NewMessage[]]): Promise<Message[]>;
  updateMessage(messageId: string, change: MessageChange): Promise<void>;
  markInterrupted(): Promise<number>;
}

interface NewMessage {
  chatId: string;
  role: Message['role'];
  parts: Message['parts'];
  state: Message['state'];
  /** Ids that uploads gave. */
  attachments?: readonly string[];
}

export interface MessageChange extends Partial<Pick<Message, 'parts' | 'state' | 'error' | 'proposal' | 'commit'>> {
  modelMessages?: unknown[] | null;
}

export interface Apps {
  get(appId: string): Promise<App>;
}

export interface SettingsSource {
  get(): Promise<Settings>;
  update(change: Partial<Settings>): Promise<Settings>;
}

/** All that an answer wants to change: files of the app, and what a person is asked about apart. */
export interface ChangeSet extends Overlay {
  /** Packages to install, with their versions where the model named some. */
  dependencies: readonly string[];
  /** `rebuild`, `restart`, `refresh`. */
  commands: readonly string[];
  /** One line, also of the commit. */
  summary: string;
}

/** Files of the app for a prompt. */
export type ContextSource = Pick<ContextReader, 'files'>;
export type ProblemFinder = typeof findProblems;

/** From what an answer wants to what is done. */
export interface Proposals {
  /**
   * What a person is shown: a diff by file. `problems` is `null`.
   *
   * @throws {AgentError} `unsafe_path` for what no answer may change
   */
  propose(app: App, changes: ChangeSet, signal: AbortSignal): Promise<Proposal>;
  /** Does what is proposed, all or nothing, and commits it. */
  apply(app: App, messageId: string, changes: ChangeSet): Promise<{ commit: string | null }>;
}
