// What answers need of the other rooms of the server. Each is a part of what that room gives, so that it can be read here.
import type { Plan } from '../changes/index.ts';
import type { App, Chat, FollowingMode, Message, Settings, WorkPlan } from '../../shared/contract/index.ts';

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
  getPlan(messageId: string): Promise<Plan | null>;
  listProposed(state: 'applying'): Promise<Message[]>;
  getWorkspace(chatId: string): Promise<string | null>;
  setWorkspace(chatId: string, workspaceId: string | null): Promise<void>;
}

export interface NewMessage {
  chatId: string;
  role: Message['role'];
  parts: Message['parts'];
  state: Message['state'];
  /** Of a person's message: the commit that HEAD has. */
  headCommit?: string | null;
  /** Ids that uploads gave. */
  attachments?: readonly string[];
  /** The one that waited, which this message takes the place of. */
  queuedId?: string | undefined;
  /** The plan that it has followed from now on. */
  approved?: ApprovedPlan | undefined;
}

/** A plan as the person has approved it. */
export interface ApprovedPlan {
  /** The message that has it. */
  messageId: string;
  workPlan: WorkPlan;
  /** What the mode of the chat becomes. */
  mode: FollowingMode;
}

export interface MessageChange extends Partial<
  Pick<Message, 'parts' | 'state' | 'error' | 'proposal' | 'workPlan' | 'commit' | 'usage'>
> {
  modelMessages?: unknown[] | null;
  plan?: Plan | null;
}

export interface Apps {
  get(appId: string): Promise<App>;
}

export interface SettingsSource {
  get(): Promise<Settings>;
  update(change: Partial<Settings>): Promise<Settings>;
}
