// A real program, a real page transport and a scripted model.
import { mkdtemp, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { WebSocket } from 'ws';
import type {
  Chat,
  ChatMode,
  EventData,
  EventName,
  Message,
  ModelServerDraft,
  Params,
  Part,
  Question,
  RequestName,
  Result,
} from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import type { Program, ProgramOptions } from '../../../packages/desktop-agent/src/server/program.ts';
import { atFileEnd } from '../../file-end.ts';
import { ModelServer } from '../models/model-server.ts';

const built = new URL('../../../packages/desktop-agent/dist/', import.meta.url);

/** Not static imports: types are checked before anything is built. */
export async function load<Module>(path: string): Promise<Module> {
  return (await import(new URL(path, built).href)) as Module;
}

async function folder(): Promise<string> {
  return await realpath(await mkdtemp(join(tmpdir(), 'agent-answers-')));
}

/** One program and one model for a test file. */
export class Stage {
  readonly program: Program;
  readonly model: ModelServer;
  readonly page: TestPage;
  readonly dataDir: string;
  readonly #folders: string[] = [];

  private constructor(program: Program, model: ModelServer, page: TestPage, dataDir: string) {
    this.program = program;
    this.model = model;
    this.page = page;
    this.dataDir = dataDir;
  }

  static async start(options: Partial<ProgramOptions> = {}): Promise<Stage> {
    const model = await ModelServer.start();
    const dataDir = options.dataDir ?? (await folder());
    const { startProgram } =
      await load<typeof import('../../../packages/desktop-agent/src/server/program.ts')>('server/program.js');
    const turns = { models: { local: [{ url: model.url, name: 'Scripted' }] }, ...options.turns };
    const program = await startProgram({ ...options, dataDir, turns });
    const page = await TestPage.open(program);
    const stage = new Stage(program, model, page, dataDir);
    atFileEnd(async () => {
      await page.close();
      await program.close();
      await model[Symbol.asyncDispose]();
      // Only now: the program may have been at work in them when a test had seen all that it waited for.
      for (const path of [dataDir, ...stage.#folders]) await rm(path, { recursive: true, force: true, maxRetries: 10 });
    });
    return stage;
  }

  /** A chat of a new app with these files. */
  async chat(mode: ChatMode, files: Record<string, string> = {}): Promise<{ chat: Chat; appPath: string }> {
    const appPath = await folder();
    this.#folders.push(appPath);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(appPath, path)), { recursive: true });
      await writeFile(join(appPath, path), content);
    }
    const appId = await this.program.addFolder(appPath);
    const created = await this.page.ask('create-chat', { appId, mode });
    const chat = await this.page.ask('update-chat', { chatId: created.id, model: this.model.modelId });
    return { chat, appPath };
  }

  /** Adds a server of models, as a person does in the settings. @returns its id */
  async serve(url: string, more: Partial<ModelServerDraft> = {}): Promise<string> {
    const server = { name: new URL(url).host, url, models: [], headers: {}, ...more };
    const servers = await this.page.ask('save-model-server', { id: null, server });
    return servers.find((one) => one.url === url.replace(/\/+$/, ''))?.id ?? '';
  }

  /** Sends a message. */
  async send(chat: Chat, text: string, uploads: string[] = []): Promise<{ messageId: string; userMessageId: string }> {
    return await this.page.ask('chat:stream', { chatId: chat.id, text, uploads });
  }

  /** Sends a message and waits for the end of its answer. */
  async answer(chat: Chat, text: string, uploads: string[] = []): Promise<Message> {
    const { messageId } = await this.send(chat, text, uploads);
    return await this.page.ended(messageId);
  }

  async upload(chat: Chat, name: string, content: string): Promise<string> {
    const path = join(this.dataDir, `upload-${name}`);
    await writeFile(path, content);
    return (await this.program.services.uploads.add(chat.id, path, name)).id;
  }

  async messages(chat: Chat): Promise<Message[]> {
    return (await this.page.ask('get-chat', { chatId: chat.id })).messages;
  }
}

type Frame = { type: string; id?: number; result?: unknown; error?: { code: string; message: string } } & (
  { type: 'event'; event: EventName; data: unknown } | { type: 'ready' | 'result' | 'error' }
);

/** A page without a screen: requests, and every event that it was sent. */
export class TestPage {
  readonly events: { event: EventName; data: unknown }[] = [];
  readonly #socket: WebSocket;
  readonly #results = new Map<number, (frame: Frame) => void>();
  readonly #waiting = new Set<() => void>();
  #lastId = 0;
  /** Called with each question; its answer goes back. */
  onQuestion: ((question: Question) => string | undefined) | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#take(JSON.parse((data as Buffer).toString('utf8')) as Frame));
  }

  static async open({ url }: Pick<Program, 'url'>): Promise<TestPage> {
    const { origin, hash } = new URL(url);
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/socket`, { origin });
    const page = new TestPage(socket);
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'hello', token: new URLSearchParams(hash.slice(1)).get('token') }));
    return page;
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }

  async ask<Name extends RequestName>(channel: Name, params: Params<Name>): Promise<Result<Name>> {
    const id = ++this.#lastId;
    const answered = new Promise<Frame>((resolve) => this.#results.set(id, resolve));
    this.#socket.send(JSON.stringify({ type: 'request', id, channel, params }));
    const { error, result } = await answered;
    if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code });
    return result as Result<Name>;
  }

  /** What came of one kind. */
  of<Name extends EventName>(name: Name): EventData<Name>[] {
    return this.events.flatMap(({ event, data }) => (event === name ? [data as EventData<Name>] : []));
  }

  /** The first event that fits, now or later. */
  async until<Name extends EventName>(
    name: Name,
    fits: (data: EventData<Name>) => boolean = () => true,
  ): Promise<EventData<Name>> {
    for (;;) {
      const found = this.of(name).find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** The message of an answer at its end, however that was. */
  async ended(messageId: string): Promise<Message> {
    for (;;) {
      const all = [...this.of('chat:response:end'), ...this.of('chat:response:error')];
      const found = all.find(({ message }) => message.id === messageId);
      if (found !== undefined) return found.message;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #take(frame: Frame): void {
    if (frame.id !== undefined) this.#results.get(frame.id)?.(frame);
    if (frame.type !== 'event') return;
    const { event, data } = frame;
    this.events.push({ event, data });
    if (event === 'question:asked') this.#answer((data as EventData<'question:asked'>).question);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #answer(question: Question): void {
    const answer = this.onQuestion?.(question);
    if (answer === undefined) return;
    this.ask('answer-question', { id: question.id, answer: answer as 'deny' }).catch((error: unknown) => {
      // What it was about may have ended meanwhile, as when a test stops it.
      if ((error as { code?: string }).code !== 'changed') throw error;
    });
  }
}

/** All text of a message. */
export function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

export function partsOf<Type extends Part['type']>({ parts }: Message, type: Type): Extract<Part, { type: Type }>[] {
  return parts.filter((part): part is Extract<Part, { type: Type }> => part.type === type);
}

/** What chunks make, put together by their offsets. Throws where one does not fit. */
export function assemble(page: TestPage, messageId: string): Map<number, string> {
  const texts = new Map<number, string>();
  for (const { messageId: id, index, offset, text } of page.of('chat:response:chunk')) {
    if (id !== messageId) continue;
    const before = texts.get(index) ?? '';
    if (before.length !== offset)
      throw new Error(`part ${index} has ${before.length} characters, the chunk begins at ${offset}`);
    texts.set(index, before + text);
  }
  return texts;
}
