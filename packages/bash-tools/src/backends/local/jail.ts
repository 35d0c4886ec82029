import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import {
  endInside,
  endJail,
  jailCommand,
  processesInside,
  startProcess,
  type Bubblewrap,
  type Inside,
} from '@mustard-sandbox/client/isolation';
import type { BashLimits } from '../../limits.ts';
import type { ControlGroup, ControlGroups } from './control-groups.ts';
import type { Guard } from './leftovers.ts';
import { discard, type Pipe, type Pipes } from './pipes.ts';
import { quoted } from './shell.ts';
import { inside, mountsOf, type Folders, type Toolchain } from './toolchain.ts';

/** What a jail is made with. */
export interface JailKit {
  bubblewrap: Bubblewrap;
  toolchain: Toolchain;
  filter: Buffer | undefined;
  pipes: Pipes;
  /** For the jails that this process leaves behind. */
  guard: Guard;
  /** Present where the kernel bounds processes and memory of a jail by them. */
  groups: ControlGroups | undefined;
  limits: BashLimits;
  network: boolean;
}

interface Started {
  subprocess: ChildProcess;
  stdout: Pipe;
  stderr: Pipe;
  group: ControlGroup | undefined;
}

const blockBytes = 1024;
/** What a shell says of a command that SIGKILL ended. */
export const killedCode = 137;

/**
 * One jail for one command. It is started before there is a command: making namespaces takes some milliseconds, in
 * which its shell gets ready to read what to do.
 */
export class Jail {
  readonly #started: Promise<Started>;
  readonly #gone: Promise<number>;
  #inside: Inside | undefined;
  #isGone = false;
  #group: ControlGroup | undefined;
  #wasOutOfMemory = false;

  constructor(kit: JailKit, folders: Folders, extraMounts: readonly string[] = []) {
    this.#started = start(kit, folders, extraMounts);
    this.#gone = this.#started.then((started) => this.#watch(started));
    this.#gone.catch(() => {});
  }

  /** Whether it can still take a command. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /**
   * Runs the command of this jail.
   *
   * @returns its exit code, as a shell tells it, when nothing is left of it
   * @throws what the system does when a process cannot be started
   */
  async run(
    command: string,
    onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void,
    env: Record<string, string> = {},
  ): Promise<number> {
    const started = await this.#started;
    const { subprocess, stdout, stderr } = started;
    stdout.reader.on('data', (chunk: Buffer) => onOutput('stdout', chunk));
    stderr.reader.on('data', (chunk: Buffer) => onOutput('stderr', chunk));
    const stdin = subprocess.stdin as Socket;
    for (const handle of handlesOf(started)) handle.ref();
    // For a jail that has ended already; its end tells more.
    stdin.on('error', () => {});
    const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}; `);
    stdin.end(`${exports.join('')}unset -v command; ${command}\0`);
    return await this.#gone;
  }

  /** Whether the kernel ended a process of it because all of them took too much. */
  get isOutOfMemory(): boolean {
    return this.#wasOutOfMemory || (!this.#isGone && this.#group?.isOutOfMemory() === true);
  }

  /** The first process inside, by its pid outside, once there is one. */
  get init(): number | undefined {
    return this.#inside?.init?.pid;
  }

  /** Looks for it. */
  async locate(): Promise<void> {
    const { subprocess } = await this.#started;
    if (this.#inside?.init === undefined && subprocess.pid !== undefined && !this.#isGone) {
      this.#inside = processesInside(subprocess.pid);
    }
  }

  /** Ends it with everything in it; returns when nothing is left. Does not throw. */
  async kill(): Promise<void> {
    try {
      const started = await this.#started;
      const { subprocess } = started;
      if (subprocess.pid === undefined || this.#isGone) return;
      // Who waits for the end of a spare would end before it, with nothing else to do.
      for (const handle of handlesOf(started)) handle.ref();
      await endJail(subprocess, subprocess.pid, this.#gone);
      await this.#gone;
    } catch {
      // It never began.
    }
  }

  async #watch({ subprocess, stdout, stderr, group }: Started): Promise<number> {
    this.#group = group;
    const readers = [stdout.reader, stderr.reader];
    const ended = Promise.all(readers.map((reader) => closed(reader)));
    const [exitCode] = (await once(subprocess, 'exit')) as [number | null];
    this.#wasOutOfMemory = group?.isOutOfMemory() === true;
    this.#isGone = true;
    if (this.#inside?.init !== undefined) await endInside(this.#inside.init);
    group?.release();
    // Nobody has the other end any more. A jail that got no command has nobody who reads.
    for (const reader of readers) reader.resume();
    await ended;
    return exitCode ?? killedCode;
  }
}

async function start(kit: JailKit, folders: Folders, extraMounts: readonly string[]): Promise<Started> {
  const { bubblewrap, toolchain, filter, pipes, network } = kit;
  const [stdout, stderr] = await pipes.two();
  // The workspace first: a toolchain may lie below the machine's /tmp.
  const mounts = [...mountsOf(folders), ...toolchain.mounts, ...extraMounts];
  const jail = jailCommand({ ...bubblewrap, mounts, network, filtered: filter !== undefined, cwd: inside.files });
  const shell = ['/bin/bash', '--norc', '--noprofile', '-c', waiting(kit.limits), 'bash'];
  const group = kit.groups?.take();
  let subprocess: ChildProcess | undefined;
  const failure = new Promise<never>((_, reject) => {
    // In a group of its own: Ctrl-C on the host's terminal is for the host.
    const stdio = ['pipe' as const, stdout.writeFd, stderr.writeFd];
    const options = { env: environment(toolchain), cwd: '/', stdio, detached: true, filter, setup: group?.enter };
    subprocess = startProcess([...jail, ...shell], options, reject);
  });
  failure.catch(() => {});
  if (subprocess === undefined) {
    discard(stdout);
    discard(stderr);
    group?.release();
    return await failure;
  }
  for (const { writeFd } of [stdout, stderr]) closeSync(writeFd);
  // A spare does not keep the host alive; with the host its input ends, and so does it.
  const started = { subprocess, stdout, stderr, group };
  for (const handle of handlesOf(started)) handle.unref();
  return started;
}

/** What keeps the host alive as long as it is open. */
function handlesOf({ subprocess, stdout, stderr }: Started): Socket[] {
  return [subprocess, subprocess.stdin, stdout.reader, stderr.reader] as Socket[];
}

/**
 * What the shell does until it has its command: sets the limits that the kernel keeps, and reads. Inside the jail, for
 * in a namespace of its own the kernel counts only the processes in there.
 *
 * `eval` and no second shell, which would take another millisecond. Its input is not the command's.
 */
function waiting({ processes, openFiles, workspaceBytes, memoryBytes }: BashLimits): string {
  const blocks = (bytes: number): number => Math.ceil(bytes / blockBytes);
  return [
    'ulimit -c 0',
    // A host that has less itself cannot give more. More than the limit, so that a look at the jail finds it passed: a
    // fork bomb that is only kept small goes on until its time is over.
    `ulimit -u ${processes + spareProcesses} 2>/dev/null`,
    `ulimit -n ${openFiles} 2>/dev/null`,
    `ulimit -f ${blocks(workspaceBytes)} 2>/dev/null`,
    `ulimit -d ${blocks(memoryBytes + codeRangeBytes)} 2>/dev/null`,
    'umask 022',
    'IFS= read -r -d "" command || exit 125',
    'exec </dev/null',
    'eval "$command"',
  ].join('; ');
}

/** How many more processes the kernel lets a jail have than its limit says. */
export const spareProcesses = 32;

/** From V8 13 on each thread of Node reserves 512 MiB for generated code, which counts as data although it is not used. */
const codeRangeBytes = 2 * 1024 * 1024 * 1024;

/** Nothing of the host's. Programs are told that nobody is there to answer, and that colours are of no use. */
function environment({ path }: Toolchain): Record<string, string> {
  return {
    PATH: path,
    HOME: inside.home,
    USER: 'agent',
    LOGNAME: 'agent',
    SHELL: '/bin/bash',
    TMPDIR: inside.tmp,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    CI: '1',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: 'true',
    GIT_AUTHOR_NAME: 'agent',
    GIT_AUTHOR_EMAIL: 'agent@localhost',
    GIT_COMMITTER_NAME: 'agent',
    GIT_COMMITTER_EMAIL: 'agent@localhost',
    EDITOR: 'true',
    DEBIAN_FRONTEND: 'noninteractive',
    PYTHONDONTWRITEBYTECODE: '1',
    npm_config_update_notifier: 'false',
    npm_config_fund: 'false',
    npm_config_audit: 'false',
  };
}

async function closed(reader: Socket): Promise<void> {
  if (reader.closed) return;
  // A pipe that fails closes as well. Without a listener its error would end the host.
  await new Promise<void>((resolve) => reader.once('close', () => resolve()).on('error', () => {}));
}
