// A server inside the page, for the states that a real one is slow to be brought into. It checks by the contract what it is
// asked and what it answers, as both ends of the socket do.
import {
  AgentError,
  events,
  requests,
  type EventData,
  type EventName,
  type PageTransport,
  type RemoteFile,
  type Params,
  type RequestName,
  type Result,
} from '../../../../packages/desktop-agent/src/shared/contract/index.ts';
import { attached } from './attached.ts';
import { chats, queue } from './chats.ts';
import { copy, gitAnswers } from './git.ts';
import { startingAnswers } from './starting.ts';
import { servers, toolRuns, waitingRuns } from './tools.ts';
import { app, files, models, modelServers, preview, scriptSettings, settings, versions } from './data.ts';

type Answers = { [Name in RequestName]?: (params: Params<Name>) => unknown };

export interface FakeOptions {
  apps?: number;
  models?: 'none' | 'some';
  chat?: string;
  files?: number;
  /** Whether scripts wait for the person. */
  waiting?: boolean;
  theme?: 'light' | 'dark';
  /** Only the chats that a person would have, and no tips. */
  plain?: boolean;
}

export class FakeServer implements PageTransport {
  /** What the page has asked, in order. */
  readonly asked: { name: string; params: unknown }[] = [];
  /** Of tests: go before the usual answers. A promise that never resolves keeps the page waiting. */
  readonly answers: Answers = {};
  readonly #usual: Answers;
  readonly #listeners = new Map<string, Set<(data: never) => void>>();
  readonly #connection = new Set<(connected: boolean) => void>();

  constructor(options: FakeOptions) {
    this.#usual = usualAnswers(options);
  }

  async invoke<Name extends RequestName>(name: Name, params: Params<Name>): Promise<Result<Name>> {
    this.asked.push({ name, params: requests[name].params.parse(params) });
    const answer = this.answers[name] ?? this.#usual[name];
    const result: unknown = await answer?.(params as never);
    return requests[name].result.parse(result ?? {}) as Result<Name>;
  }

  on<Name extends EventName>(name: Name, listener: (data: EventData<Name>) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  onConnection(listener: (connected: boolean) => void): () => void {
    this.#connection.add(listener);
    listener(true);
    return () => void this.#connection.delete(listener);
  }

  async upload(file: Blob, options: Parameters<PageTransport['upload']>[1]): ReturnType<PageTransport['upload']> {
    options.onProgress?.(file.size / 2);
    if (options.name.includes('endless')) await new Promise(() => {});
    if (options.name.includes('refused'))
      throw new AgentError('disk_full', 'The disk is full. Free some space and try again.');
    return { id: `upload-${options.name}`, name: options.name, bytes: file.size, mediaType: 'text/plain' };
  }

  async download({ path, from }: RemoteFile): Promise<Blob> {
    const picture = from === 'picture' ? attached[path] : undefined;
    if (picture !== undefined) return new Blob([picture]);
    return new Blob([`content of ${path}`]);
  }

  tell(name: EventName, data: unknown): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(events[name].parse(data) as never);
  }

  connect(connected: boolean): void {
    for (const listener of this.#connection) listener(connected);
  }
}

function usualAnswers({
  apps = 1,
  models: have = 'some',
  files: fileCount = 30,
  theme,
  plain = false,
  waiting = false,
}: FakeOptions): Answers {
  let now = {
    ...settings,
    ...(have === 'none' && { model: null }),
    ...(theme && { theme }),
    ...(plain && { dismissed: ['first-run', 'first-attach'] }),
  };
  const list = Object.values(chats)
    .map(({ chat }) => chat)
    .filter(({ id }) => !plain || id === 'chat-1' || id === 'build');
  const paths = Array.from({ length: fileCount }, (_, index) => `src/part-${index % 17}/module-${index}.ts`);
  const find = (chatId: string) => {
    const found = chats[chatId];
    if (found === undefined)
      throw new AgentError('not_found', 'There is no such chat any more. It may have been deleted.');
    return found;
  };
  const skills = [{ name: 'release', description: 'How a version is made', path: 'skills/release/SKILL.md' }];
  const context = {
    files: paths.map((path, index) => ({
      path,
      bytes: 400 + index * 13,
      tokens: 100 + index * 3,
      ...(index % 11 === 10 && { omitted: 'too-large' as const }),
    })),
    tokens: 18_204,
    taken: paths.length - Math.floor(paths.length / 11),
    complete: true,
    rules: [
      { path: 'AI_RULES.md', tokens: 312, cut: false },
      { path: 'src/AGENTS.md', tokens: 48, cut: true },
    ],
    skills,
    omitted: Math.floor(paths.length / 11),
  };
  return {
    'get-state': () => ({
      version: '0.1.0',
      apps: [app, { ...app, id: 'app-2', name: 'logs' }, copy].slice(0, apps),
      settings: now,
      questions: [],
      waitingRuns: waiting ? waitingRuns : [],
      scriptSettings,
      bash: { available: true, reason: '' },
    }),
    'list-chats': () => list,
    'list-models': () => ({ models: have === 'none' ? models.slice(-1) : models, problems: [] }),
    'get-chat': ({ chatId }) => ({
      chat: find(chatId).chat,
      messages: find(chatId)
        .messages()
        .map((m) => ({ ...m, chatId })),
      reruns: [],
      toolRuns: toolRuns.filter((run) => run.chatId === chatId),
      queue: chatId === 'streaming' ? queue : [],
    }),
    'create-chat': ({ mode }) => chats['empty'] && { ...chats['empty'].chat, ...(mode && { mode }) },
    'delete-chat': () => ({ undoUntil: new Date(Date.now() + 600_000).toISOString() }),
    'restore-chat': ({ chatId }) => find(chatId).chat,
    'update-chat': ({ chatId, ...change }) => ({ ...find(chatId).chat, ...change }),
    'read-checkpoint': () => ({
      before: 4,
      wayBack: {
        commit: 'c'.repeat(40),
        subject: 'Count each item, and take discounts off the total',
        at: '2026-03-02T09:50:00.000Z',
        isOfBranch: true,
        changed: [
          { path: 'src/orders/discount.ts', change: 'deleted' },
          { path: 'src/orders/legacy-total.ts', change: 'added' },
          { path: 'src/orders/total.ts', change: 'changed' },
        ],
        more: 2,
        own: 1,
        seen: 'seen-1',
      },
      why: '',
    }),
    'go-on-from': () => ({ chat: find('continued').chat, undo: 'd'.repeat(40) }),
    'edit-work-plan': ({ chatId, messageId, steps, revision }) => ({
      ...find(chatId)
        .messages()
        .find(({ id }) => id === messageId),
      workPlan: { state: 'pending', steps: steps.map((text) => ({ text })), more: 0, revision: revision + 1 },
    }),
    'chat:stream': () => ({ userMessageId: 'u', messageId: 'a' }),
    'update-settings': (change) => (now = { ...now, ...(change as Partial<typeof now>) }),
    'list-keys': () => [{ provider: 'anthropic', storage: 'keychain' }],
    'list-model-servers': () => modelServers,
    'save-model-server': () => modelServers,
    'remove-model-server': () => [],
    'list-servers': () => servers,
    'read-tool-run': ({ runId }) => toolRuns.find((run) => run.runId === runId),
    'decide-call': ({ runId }) => ({ ...toolRuns.find((run) => run.runId === runId), state: 'running', calls: [] }),
    'list-folders': ({ path }) => ({
      path: path === '' ? '/home/mira' : path,
      parent: '/home',
      folders: ['documents', 'logs', 'shop'],
    }),
    'add-app': ({ path }) => ({ ...app, id: 'app-9', name: path.split('/').at(-1), path, git: false }),
    'init-git': ({ appId }) => ({ ...app, id: appId }),
    ...startingAnswers,
    ...gitAnswers,
    'list-skills': () => skills,
    'list-app-files': () => ({ files: paths, truncated: false }),
    'read-app-file': ({ path }) => ({ content: `// ${path}\nexport const one: number = 1;\n`, hash: 'hash-1' }),
    'read-proposed-file': ({ path }) => ({ content: `// ${path}\nexport const one: number = 1;\n`, revision: 1 }),
    'edit-app-file': () => ({ hash: 'hash-2', commit: 'c'.repeat(40) }),
    'list-versions': () => ({ versions, more: true }),
    'read-version': ({ commit }) => ({ version: { ...versions[0], commit }, files, more: 0 }),
    'revert-to-version': () => versions[0],
    'undo-turn': () => versions[0],
    'redo-turn': () => versions[0],
    'get-context': () => context,
    'set-context': () => context,
    'check-problems': () => ({
      problems: [
        {
          path: 'src/part-1/module-1.ts',
          line: 2,
          column: 14,
          code: 'TS2322',
          message: "Type 'string' is not assignable to type 'number'.",
        },
      ],
      more: 0,
      unchecked: null,
    }),
    'list-attachments': () => [
      { name: 'server.log', bytes: 83_886_080, mediaType: 'text/plain', path: '/home/mira/shop/.agent/server.log' },
    ],
    'export-chat': () => ({ fileName: 'errors-of-monday.md', markdown: '# Errors of Monday\n' }),
    'rerun-script': () => ({ runId: 'again' }),
    'read-output': () => ({ text: 'all of it' }),
    'get-preview': () => ({
      preview: preview(),
      scripts: [
        { name: 'dev', command: '(node scripts/icons.js) && (vite --clearScreen false)' },
        { name: 'build', command: 'vite build' },
      ],
      why: '',
    }),
    'start-preview': () => preview({ state: 'starting', command: 'vite' }),
    'stop-preview': () => preview(),
    'choose-preview-port': () => preview(),
    'read-preview-output': () => ({ text: '  VITE ready in 312 ms\n  Local: http://localhost:5173/\n', left: 120_000 }),
    'read-rows': () => ({ rows: [{ n: 1 }], total: 1 }),
  };
}
