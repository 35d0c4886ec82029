import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
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
import type { CommandProxy } from '../../network/proxy.ts';
import type { Outside } from '../../network/outside.ts';
import { doorVariables, openDoor, takeDoor } from './door.ts';
import type { Guard } from './leftovers.ts';
import { discard, type Pipe, type Pipes } from './pipes.ts';
import { mountsOfProject } from './project-mounts.ts';
import { quoted } from './shell.ts';
import { inside, mountsOf, type Folders, type Toolchain } from './toolchain.ts';

/** Everything that jails are made with. */
export interface JailKit {
  bubblewrap: Bubblewrap;
  toolchain: Toolchain;
  filter: Buffer | undefined;
  pipes: Pipes;
  /** Ends the jails that this process leaves behind. */
  guard: Guard;
  /** Present when the kernel bounds processes and memory of a jail by control groups. */
  groups: ControlGroups | undefined;
  limits: BashLimits;
  network: boolean;
  /** How the proxy of a command reaches hosts. */
  outside: Outside;
}

interface Started {
  subprocess: ChildProcess;
  stdout: Pipe;
  stderr: Pipe;
  group: ControlGroup | undefined;
  /** Where the jail reaches the proxy. It stays open until the jail has one or is gone. */
  door: Promise<Server> | undefined;
}

/** What one jail has beyond its workspace. */
interface JailExtras {
  mounts?: readonly string[];
  /** Whether its command can have a proxy. */
  door?: boolean;
}

const blockBytes = 1024;
/** The exit code with which a shell reports a command that SIGKILL ended. */
export const killedCode = 137;

/**
 * One jail for one command. It is started before there is a command, because making namespaces takes some milliseconds,
 * in which its shell gets ready to read the command.
 */
export class Jail {
  readonly hasDoor: boolean;
  readonly #started: Promise<Started>;
  readonly #gone: Promise<number>;
  #inside: Inside | undefined;
  #isGone = false;
  #group: ControlGroup | undefined;
  #wasOutOfMemory = false;

  constructor(kit: JailKit, folders: Folders, extras: JailExtras = {}) {
    this.hasDoor = extras.door === true;
    this.#started = start(kit, folders, extras);
    this.#gone = this.#started.then((started) => this.#watch(started));
    this.#gone.catch(() => {});
  }

  /** Whether it can no longer take a command. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /**
   * Runs the command of this jail.
   *
   * @param proxy for a jail with a door
   * @returns its exit code in the form of a shell, when nothing of it is left
   * @throws the error of the system when a process cannot be started
   */
  async run(
    command: string,
    onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void,
    { env = {}, proxy }: { env?: Record<string, string>; proxy?: CommandProxy | undefined } = {},
  ): Promise<number> {
    const started = await this.#started;
    const { subprocess, stdout, stderr, door } = started;
    stdout.reader.on('data', (chunk: Buffer) => onOutput('stdout', chunk));
    stderr.reader.on('data', (chunk: Buffer) => onOutput('stderr', chunk));
    const stdin = subprocess.stdin as Socket;
    for (const handle of handlesOf(started)) handle.ref();
    // A jail that has ended already makes this error, and its end tells more.
    stdin.on('error', () => {});
    if (proxy !== undefined && door !== undefined) {
      const listening = await Promise.race([door, this.#gone.then(() => undefined)]);
      if (listening !== undefined) proxy.listen(listening);
      Object.assign(env, doorVariables);
    }
    const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}; `);
    stdin.end(`${exports.join('')}unset -v command; ${command}\0`);
    return await this.#gone;
  }

  /** Whether the kernel ended one of its processes because all of them took too much memory. */
  get isOutOfMemory(): boolean {
    return this.#wasOutOfMemory || (!this.#isGone && this.#group?.isOutOfMemory() === true);
  }

  /** The pid outside of the first process inside; `undefined` before there is one. */
  get init(): number | undefined {
    return this.#inside?.init?.pid;
  }

  /** Finds its first process. */
  async locate(): Promise<void> {
    const { subprocess } = await this.#started;
    if (this.#inside?.init === undefined && subprocess.pid !== undefined && !this.#isGone) {
      this.#inside = processesInside(subprocess.pid);
    }
  }

  /** Ends it with everything in it. Returns when nothing is left, and never throws. */
  async kill(): Promise<void> {
    try {
      const started = await this.#started;
      const { subprocess } = started;
      if (subprocess.pid === undefined || this.#isGone) return;
      // Without this, a host that only waits for the end of a spare would exit before it.
      for (const handle of handlesOf(started)) handle.ref();
      await endJail(subprocess, subprocess.pid, this.#gone);
      await this.#gone;
    } catch {
      // It never began.
    }
  }

  async #watch({ subprocess, stdout, stderr, group, door }: Started): Promise<number> {
    this.#group = group;
    const readers = [stdout.reader, stderr.reader];
    const ended = Promise.all(readers.map((reader) => closed(reader)));
    const [exitCode] = (await once(subprocess, 'exit')) as [number | null];
    this.#wasOutOfMemory = group?.isOutOfMemory() === true;
    this.#isGone = true;
    if (this.#inside?.init !== undefined) await endInside(this.#inside.init);
    group?.release();
    if (subprocess.connected) subprocess.disconnect();
    void door?.then((server) => server.close());
    // Nobody has the other end any more, and nobody reads from a jail that got no command.
    for (const reader of readers) reader.resume();
    await ended;
    return exitCode ?? killedCode;
  }
}

async function start(kit: JailKit, folders: Folders, extras: JailExtras): Promise<Started> {
  const { bubblewrap, toolchain, filter, pipes, network } = kit;
  const [stdout, stderr] = await pipes.two();
  // The workspace comes first, because a toolchain may lie below the machine's /tmp.
  const mounts = [...mountsOf(folders), ...toolchain.mounts, ...mountsOfProject(folders), ...(extras.mounts ?? [])];
  const jail = jailCommand({ ...bubblewrap, mounts, network, filtered: filter !== undefined, cwd: inside.files });
  const shell = ['/bin/bash', '--norc', '--noprofile', '-c', waiting(kit.limits, extras.door), 'bash'];
  const group = kit.groups?.take();
  let subprocess: ChildProcess | undefined;
  const failure = new Promise<never>((_, reject) => {
    // It has a process group of its own, because Ctrl-C on the host's terminal is for the host.
    const stdio = ['pipe' as const, stdout.writeFd, stderr.writeFd];
    const setup = group?.enter;
    const channel = extras.door === true;
    const options = { env: environment(toolchain), cwd: '/', stdio, detached: true, filter, setup, channel };
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
  // A spare does not keep the host alive. When the host ends, the input of the spare ends, and so does the spare.
  const door = extras.door === true ? takeDoor(subprocess) : undefined;
  subprocess.channel?.unref();
  const started = { subprocess, stdout, stderr, group, door };
  for (const handle of handlesOf(started)) handle.unref();
  return started;
}

/** The handles that keep the host alive while they are open. */
function handlesOf({ subprocess, stdout, stderr }: Pick<Started, 'subprocess' | 'stdout' | 'stderr'>): Socket[] {
  return [subprocess, subprocess.stdin, stdout.reader, stderr.reader] as Socket[];
}

/**
 * What the shell does before it has its command: it sets the limits that the kernel enforces, and reads. This happens
 * inside the jail, because in a namespace of its own the kernel counts only the processes in there.
 *
 * It uses `eval`, because a second shell would take another millisecond. The input of the shell is not that of the
 * command.
 */
function waiting({ processes, openFiles, workspaceBytes, memoryBytes }: BashLimits, door = false): string {
  const blocks = (bytes: number): number => Math.ceil(bytes / blockBytes);
  return [
    'ulimit -c 0',
    // A host that has a lower limit itself cannot give more. The limit of the kernel is higher than ours, so that a
    // check of the jail finds ours exceeded: a fork bomb that is only kept small would go on until its time is over.
    `ulimit -u ${processes + spareProcesses} 2>/dev/null`,
    `ulimit -n ${openFiles} 2>/dev/null`,
    `ulimit -f ${blocks(workspaceBytes)} 2>/dev/null`,
    `ulimit -d ${blocks(memoryBytes + codeRangeBytes)} 2>/dev/null`,
    'umask 022',
    ...(door ? [openDoor] : []),
    'IFS= read -r -d "" command || exit 125',
    'exec </dev/null',
    'eval "$command"',
  ].join('; ');
}

/** How many processes more than its limit the kernel allows a jail. */
export const spareProcesses = 32;

/**
 * From V8 13 on each thread of Node reserves 512 MiB for generated code, which counts as data although it is not used.
 */
const codeRangeBytes = 2 * 1024 * 1024 * 1024;

/**
 * The environment, which has no variable of the host. It tells programs that nobody answers prompts, and that colours
 * are of no use.
 */
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
  // A pipe that fails closes too. Without a listener its error would end the host.
  await new Promise<void>((resolve) => reader.once('close', () => resolve()).on('error', () => {}));
}
