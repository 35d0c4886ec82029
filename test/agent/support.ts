import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';
import type { Params, RequestName, Result } from '../../packages/desktop-agent/src/shared/contract/index.ts';
import type { Program, ProgramOptions } from '../../packages/desktop-agent/src/server/program.ts';

const built = new URL('../../packages/desktop-agent/dist/', import.meta.url);

/** Not static imports: the types of these files are checked before anything is built. */
export async function load<Module>(path: string): Promise<Module> {
  return (await import(new URL(path, built).href)) as Module;
}

export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-core-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A real program with a data folder of its own. It ends with the test. */
export async function startAgent(options: Partial<ProgramOptions> = {}): Promise<Program & { dataDir: string }> {
  const dataDir = options.dataDir ?? join(await tempFolder(), 'data');
  const { startProgram } =
    await load<typeof import('../../packages/desktop-agent/src/server/program.ts')>('server/program.js');
  const program = await startProgram({ ...options, dataDir });
  onTestFinished(() => program.close());
  return { ...program, dataDir };
}

export function originOf({ url }: { url: string }): string {
  return new URL(url).origin;
}

export function tokenOf({ url }: { url: string }): string {
  return new URLSearchParams(new URL(url).hash.slice(1)).get('token') ?? '';
}

type Frame = Record<string, unknown> & { id?: number; error?: { code: string; message: string } };

/** A peer that speaks frames as it likes. */
export class Peer {
  readonly frames: Frame[] = [];
  readonly socket: WebSocket;
  /** The close code, or the HTTP status that refused the upgrade. */
  readonly ended: Promise<number>;
  readonly #listeners = new Set<(frame: Frame) => void>();
  #lastId = 0;

  constructor(origin: string, options: ClientOptions & { path?: string } = {}) {
    const { path = '/socket', ...rest } = options;
    this.socket = new WebSocket(origin.replace('http', 'ws') + path, { origin, ...rest });
    this.socket.on('message', (data) => {
      const frame = JSON.parse((data as Buffer).toString('utf8')) as Frame;
      this.frames.push(frame);
      for (const listen of this.#listeners) listen(frame);
    });
    this.ended = new Promise((resolve) => {
      this.socket.on('error', () => {});
      this.socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
      this.socket.on('close', (code) => resolve(code));
    });
    onTestFinished(() => this.socket.terminate());
  }

  /** One that the server knows. */
  static async ready(program: Pick<Program, 'url'>): Promise<Peer> {
    const peer = new Peer(originOf(program));
    await once(peer.socket, 'open');
    peer.send({ type: 'hello', token: tokenOf(program) });
    await peer.until(({ type }) => type === 'ready');
    return peer;
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** The first frame like that, of those that came and those that come. */
  async until(matches: (frame: Frame) => boolean): Promise<Frame> {
    const found = this.frames.find(matches);
    if (found !== undefined) return found;
    return await new Promise((resolve, reject) => {
      const listen = (frame: Frame): void => {
        if (!matches(frame)) return;
        this.#listeners.delete(listen);
        resolve(frame);
      };
      this.#listeners.add(listen);
      void this.ended.then((code) => reject(new Error(`The socket was closed with ${code}.`)));
    });
  }

  /** The answer to a channel, as it came. */
  async request(channel: string, params: unknown): Promise<Frame> {
    const id = ++this.#lastId;
    this.send({ type: 'request', id, channel, params });
    return await this.until((frame) => frame.id === id);
  }

  /** The result of a channel. @throws what was refused */
  async ask<Name extends RequestName>(name: Name, params: Params<Name>): Promise<Result<Name>> {
    const { error, result } = await this.request(name, params);
    if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code });
    return result as Result<Name>;
  }
}
