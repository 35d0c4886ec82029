import { existsSync, readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import type { Preview, Question } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import type { Stage } from '../turns/support.ts';

const server = fileURLToPath(new URL('fixtures/dev-server.mjs', import.meta.url));

export function manifest(scripts: Record<string, string>): string {
  return JSON.stringify({ name: 'shop', scripts });
}

/** The command of a dev server that behaves in one way. @param note a file that gets the ids of its processes */
export function command(mode: string, note?: string, ...more: string[]): string {
  return [process.execPath, server, mode, note ?? '', ...more]
    .filter(Boolean)
    .map((one) => `'${one}'`)
    .join(' ');
}

/** An app with a dev server, and where its processes are noted. */
export async function appOf(
  stage: Stage,
  mode: string,
  more: { scripts?: Record<string, string>; files?: Record<string, string> } = {},
): Promise<{ appId: string; appPath: string; pids: () => number[] }> {
  const { chat, appPath } = await stage.chat('build', { 'note.txt': '', ...more.files });
  const note = join(appPath, 'pids');
  const { writeFile } = await import('node:fs/promises');
  await writeFile(join(appPath, 'package.json'), manifest({ dev: command(mode, note), ...more.scripts }));
  return { appId: chat.appId, appPath, pids: () => pidsIn(note) };
}

export function pidsIn(note: string): number[] {
  return existsSync(note) ? readFileSync(note, 'utf8').trim().split('\n').filter(Boolean).map(Number) : [];
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One that nobody has asked about its end is still listed.
    return process.platform !== 'linux' || !/^\d+ \(.*\) Z /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Answers questions about dev scripts. */
export function answering(stage: Stage, answer: string): Extract<Question, { kind: 'dev-script' }>[] {
  const asked: Extract<Question, { kind: 'dev-script' }>[] = [];
  stage.page.onQuestion = (question) => {
    if (question.kind !== 'dev-script') return undefined;
    asked.push(question);
    return answer;
  };
  return asked;
}

/** The preview once it is as a test wants it. */
export async function until(stage: Stage, appId: string, fits: (preview: Preview) => boolean): Promise<Preview> {
  let last: Preview | undefined;
  const isThere = async (): Promise<boolean> => {
    last = (await stage.page.ask('get-preview', { appId })).preview;
    return fits(last);
  };
  await vi.waitUntil(isThere, { timeout: 120_000, interval: 50 });
  return last as Preview;
}

export async function started(
  stage: Stage,
  mode: string,
): Promise<{ preview: Preview; appId: string; pids: () => number[] }> {
  answering(stage, 'allow-once');
  const { appId, pids } = await appOf(stage, mode);
  await stage.page.ask('start-preview', { appId, script: 'dev' });
  return { appId, pids, preview: await until(stage, appId, ({ state }) => state === 'running') };
}

export interface Asked {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

interface AskOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Asks the proxy as a browser does, which finds names below localhost on this machine. */
export async function ask(preview: Pick<Preview, 'origin'>, path: string, options: AskOptions = {}): Promise<Asked> {
  const response = await open(preview, path, options);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

export async function open(
  { origin }: Pick<Preview, 'origin'>,
  path: string,
  { method = 'GET', headers = {}, body }: AskOptions = {},
): Promise<IncomingMessage> {
  const { host, port } = new URL(origin);
  const sent = request({ host: '127.0.0.1', port, path, method, headers: { host, ...headers }, agent: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/** The headers by which a browser asks for a page in a frame. */
export const visit = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };
