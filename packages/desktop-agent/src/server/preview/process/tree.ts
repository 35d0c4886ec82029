// The processes of a dev script, and where they listen. Only Linux shows this without other programs.
import { readdir, readFile, readlink } from 'node:fs/promises';
import { markName } from './watcher.ts';

/** A listening socket. */
export interface Listening {
  port: number;
  /** The loopback address of the right family to connect to. */
  host: '127.0.0.1' | '::1';
}

export const canLookAtProcesses = process.platform === 'linux';

/** Finds the processes of one start of a script. */
export class ProcessTree {
  readonly #mark: Buffer;
  readonly #group: number;
  /** Processes of others that were already looked at, so that each environment is read only once. */
  #others = new Set<string>();

  constructor(mark: string, group: number) {
    this.#mark = Buffer.from(`${markName}=${mark}\0`);
    this.#group = group;
  }

  /** The ids of the processes. */
  async pids(): Promise<string[]> {
    const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const others = new Set<string>();
    const own: string[] = [];
    for (const pid of all) {
      const whose = this.#others.has(pid) ? 'other' : await this.#whose(pid);
      if (whose === 'own') own.push(pid);
      else if (whose === 'other') others.add(pid);
    }
    // Processes that are gone are left out, because their ids are used again.
    this.#others = others;
    return own;
  }

  /** `unknown` while a process starts and its environment is still empty, or when its environment may not be read. */
  async #whose(pid: string): Promise<'own' | 'other' | 'unknown'> {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
    // The process name before the last parenthesis may contain anything.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === undefined || state === 'Z') return 'unknown';
    if (Number(group) === this.#group) return 'own';
    const environment = await readFile(`/proc/${pid}/environ`).catch(() => Buffer.alloc(0));
    if (environment.length === 0) return 'unknown';
    const at = environment.indexOf(this.#mark);
    return at === 0 || (at > 0 && environment[at - 1] === 0) ? 'own' : 'other';
  }
}

/** The sockets on which processes listen, on loopback or on all addresses. */
export async function listeningOf(pids: readonly string[]): Promise<Listening[]> {
  const [own, sockets] = await Promise.all([inodesOf(pids), listeningSockets()]);
  const found = new Map<number, Listening>();
  for (const { inode, port, host } of sockets) {
    // A process that listens on both families can be reached by either.
    if (own.has(inode) && found.get(port)?.host !== '127.0.0.1') found.set(port, { port, host });
  }
  return [...found.values()];
}

async function inodesOf(pids: readonly string[]): Promise<Set<string>> {
  const inodes = new Set<string>();
  for (const pid of pids) {
    const folder = `/proc/${pid}/fd`;
    const names = await readdir(folder).catch(() => []);
    const targets = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
    for (const target of targets) {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(target) ?? [];
      if (inode !== undefined) inodes.add(inode);
    }
  }
  return inodes;
}

const listening = '0A';
/** Loopback and all addresses, as the kernel writes them. */
const hosts: Readonly<Record<string, Listening['host']>> = {
  '0100007F': '127.0.0.1',
  '00000000': '127.0.0.1',
  '00000000000000000000000001000000': '::1',
  '00000000000000000000000000000000': '::1',
  '0000000000000000FFFF00000100007F': '127.0.0.1',
};

async function listeningSockets(): Promise<(Listening & { inode: string })[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'latin1').catch(() => '')),
  );
  return tables.flatMap((table) =>
    table.split('\n').flatMap((row) => {
      const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      const host = hosts[address];
      return state === listening && host !== undefined ? [{ inode, port: Number.parseInt(port, 16), host }] : [];
    }),
  );
}
