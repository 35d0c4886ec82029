import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createConnection } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '@mustard-sandbox/client/isolation';
import { AgentError, type App } from '../../../shared/contract/index.ts';
import { passedOnEnvironment } from '../../passed-on.ts';
import { pathOf } from '../scripts.ts';
import { canLookAtProcesses, listeningOf, ProcessTree, type Listening } from './tree.ts';
import { markName, Watcher } from './watcher.ts';

const isWindows = process.platform === 'win32';
/**
 * How much output is read, in bytes a second. This way a script that prints without end has to wait, and does not keep this
 * program busy.
 */
const outputRate = 4 * 1024 * 1024;

/**
 * A script that has ended may have left a process that is still starting. Until such a process has an environment, nothing
 * shows whose it is, so it is looked for `startLooks` times during this time, in ms.
 */
const startMs = 1_000;
const startLooks = 4;

export interface DevProcessOptions {
  app: App;
  /** A shell command. */
  command: string;
  onOutput: (chunk: Buffer) => void;
  /** Called when the command has ended. Processes that it left behind may still run. */
  onExit: (how: string) => void;
}

/** One start of a dev script, with all processes that come from it. */
export class DevProcess {
  readonly #child: ChildProcess;
  readonly #watcher: Watcher | undefined;
  readonly #tree: ProcessTree;
  #hasExited = false;

  private constructor(
    child: ChildProcess & { pid: number },
    mark: string,
    watcher: Watcher | undefined,
    { onOutput, onExit }: DevProcessOptions,
  ) {
    this.#child = child;
    this.#watcher = watcher;
    this.#tree = new ProcessTree(mark, child.pid);
    for (const stream of [child.stdout, child.stderr]) readSlowly(stream as Readable, onOutput);
    child.once('exit', (code, signal) => {
      this.#hasExited = true;
      if (!groupIsThere(child.pid)) watcher?.follow(undefined);
      onExit(signal === null ? `exit code ${code}` : signal);
    });
  }

  /** @throws {AgentError} `internal` when the system starts no process */
  static start(options: DevProcessOptions): DevProcess {
    const mark = randomBytes(16).toString('hex');
    // The watcher starts before the script, because this program may be killed between the two.
    const watcher = isWindows ? undefined : new Watcher(mark);
    const { app, command } = options;
    const env = {
      ...passedOnEnvironment(),
      PATH: pathOf(app, process.env['PATH']),
      [markName]: mark,
      // The script shall open no browser window beside the preview, and print no colours.
      BROWSER: 'none',
      NO_COLOR: '1',
      INIT_CWD: app.path,
    };
    const shell = isWindows ? ['cmd.exe', '/d', '/s', '/c', `"${command}"`] : ['/bin/sh', '-c', command];
    let failure: Error | undefined;
    const child = startProcess(
      shell,
      { cwd: app.path, env, stdio: ['ignore', 'pipe', 'pipe'], detached: !isWindows, windowsVerbatimArguments: true },
      (error) => (failure = error),
    );
    if (child?.pid === undefined) {
      void watcher?.end();
      throw new AgentError(
        'internal',
        `The script could not be started${failure === undefined ? '' : `: ${failure.message}`}.`,
      );
    }
    watcher?.follow(child.pid);
    return new DevProcess(child as ChildProcess & { pid: number }, mark, watcher, options);
  }

  /**
   * What the processes are doing. `isAlive` says that one of them runs, also one that left the process group.
   *
   * @param printed ports in the output, for systems that do not show who listens
   */
  async look(printed: readonly number[]): Promise<{ isAlive: boolean; listening: Listening[] }> {
    if (!canLookAtProcesses) {
      const listening = (await Promise.all(printed.map(accepting))).flat();
      return { isAlive: !this.#hasExited, listening };
    }
    let pids = await this.#tree.pids();
    for (let look = 0; look < startLooks && pids.length === 0 && this.#hasExited; look++) {
      await sleep(startMs / startLooks);
      pids = await this.#tree.pids();
    }
    return { isAlive: pids.length > 0 || !this.#hasExited, listening: await listeningOf(pids) };
  }

  /** Ends all processes. It resolves when they are gone. */
  async end(): Promise<void> {
    if (!isWindows) await this.#watcher?.end();
    else if (!this.#hasExited) {
      startProcess(
        ['taskkill', '/pid', String(this.#child.pid), '/t', '/f'],
        { stdio: ['ignore', 'ignore', 'ignore'] },
        () => {},
      );
    }
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }
}

/** Passes each chunk on, and pauses for the rest of a second in which too much came. */
function readSlowly(stream: Readable, onChunk: (chunk: Buffer) => void): void {
  let bytes = 0;
  let since = Date.now();
  stream.on('error', () => {});
  stream.on('data', (chunk: Buffer) => {
    onChunk(chunk);
    const now = Date.now();
    if (now - since >= 1000) [since, bytes] = [now, 0];
    bytes += chunk.length;
    if (bytes < outputRate) return;
    stream.pause();
    setTimeout(() => stream.resume(), since + 1000 - now).unref();
  });
}

function groupIsThere(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

async function accepting(port: number): Promise<Listening[]> {
  for (const host of ['127.0.0.1', '::1'] as const) {
    const accepts = await new Promise<boolean>((resolve) => {
      const socket = createConnection({ host, port, timeout: 1000 });
      const settle = (answer: boolean): void => {
        socket.destroy();
        resolve(answer);
      };
      socket.once('connect', () => settle(true));
      socket.once('timeout', () => settle(false));
      socket.once('error', () => settle(false));
    });
    if (accepts) return [{ port, host }];
  }
  return [];
}
