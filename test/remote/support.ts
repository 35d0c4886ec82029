import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxError } from '@mustard-sandbox/client';
import { connectSandbox, type ConnectOptions, type RemoteSandbox } from '@mustard-sandbox/remote';
import { serveSandboxes, type SandboxServer, type ServerOptions } from '@mustard-sandbox/remote/server';

export const token = 'correct-horse-battery-staple-0123456789';
export const otherToken = 'another-horse-battery-staple-9876543210';

/** A server and what it needs; one for a test file, because each has sidecars of its own. */
export interface Stage {
  folder: string;
  server: SandboxServer;
  /** Clients of it; they end with it. */
  connect(options?: Partial<ConnectOptions>): RemoteSandbox;
  end(): Promise<void>;
}

export async function openStage(options: ServerOptions = {}): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'remote-'));
  await mkdir(join(folder, 'files'));
  const server = await serveSandboxes({
    listen: '127.0.0.1:0',
    store: join(folder, 'store'),
    tokens: [
      { name: 'one', token },
      { name: 'two', token: otherToken },
    ],
    logLevel: 'silent',
    drainMs: 2_000,
    ...options,
    sandbox: { maxProcesses: 2, spares: 0, ...options.sandbox },
  });
  const clients: RemoteSandbox[] = [];
  return {
    folder,
    server,
    connect(more = {}) {
      const client = connectSandbox({ url: server.url, token, cacheDir: join(folder, 'cache'), ...more });
      clients.push(client);
      return client;
    },
    async end() {
      await Promise.all(clients.map((client) => client.close()));
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The error of a call that must fail. */
export async function failure(work: Promise<unknown>): Promise<SandboxError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof SandboxError) return error;
    throw error;
  }
  throw new Error('It succeeded.');
}
