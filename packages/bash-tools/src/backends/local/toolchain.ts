import { lstatSync, readlinkSync, realpathSync, existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';

/** How the folders of a workspace are called inside. */
export const inside = { files: '/workspace', home: '/home/agent', tmp: '/tmp' } as const;

/** The user inside. Programs would offer root what it cannot do there, such as changing owners. */
const userId = '1000';

const systemFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** What programs of /usr look up, and what holds no secret. */
const settings = [
  ...['alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'mime.types', 'protocols', 'services'],
  ...['ssl/certs', 'ssl/openssl.cnf', 'ca-certificates', 'pki/tls/certs', 'fonts', 'java', 'python3', 'perl', 'magic'],
].map((name) => `/etc/${name}`);

/** Files of /etc that a jail has of its own: those of the machine name its users. */
const ownSettings = {
  passwd: `agent:x:${userId}:${userId}::${inside.home}:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n`,
  group: `agent:x:${userId}:\nnogroup:x:65534:\n`,
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/** Shared memory of programs that name it, such as Python's multiprocessing; containers have as much. */
const sharedMemoryBytes = 64 * 1024 * 1024;

/** Where the files of one workspace are on this machine. */
export interface Folders {
  files: string;
  home: string;
  tmp: string;
  /** `files` is a folder of the user's, used as it is. */
  isUsers?: true;
}

interface ToolchainOptions {
  /** A folder of the host's own, for the files that every jail has. */
  state: string;
  /** Further files and folders to read, such as a toolchain outside of /usr. */
  extra: readonly string[];
  network: boolean;
  hasSize: boolean;
}

/** What all jails of a host hold, beside their workspace. */
export interface Toolchain {
  mounts: string[];
  path: string;
}

/** Finds what is there to build with, and writes the files of /etc that jails have of their own. */
export async function findToolchain({ state, extra, network, hasSize }: ToolchainOptions): Promise<Toolchain> {
  const etc = join(state, 'etc');
  await mkdir(etc, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(ownSettings)) await writeFile(join(etc, name), text, { mode: 0o644 });
  const node = findNode();
  const mounts = [
    ...['--uid', userId, '--gid', userId],
    ...['--ro-bind', '/usr', '/usr'],
    ...systemFolders.flatMap(systemFolder),
    ...settings.flatMap((file) => ['--ro-bind-try', file, file]),
    ...Object.keys(ownSettings).flatMap((name) => ['--ro-bind', join(etc, name), `/etc/${name}`]),
    ...(network ? resolver() : []),
    ...['--dev', '/dev'],
    // Its size has a bound only from bubblewrap 0.7 on.
    ...(hasSize ? ['--size', String(sharedMemoryBytes), '--tmpfs', '/dev/shm'] : []),
    ...['--remount-ro', '/dev', '--symlink', '/tmp', '/var/tmp'],
    ...node.flatMap((file) => ['--ro-bind', file, file]),
    ...extra.flatMap((file) => ['--ro-bind', file, file]),
  ];
  const folders = [...node.map((file) => dirname(file)), ...extra.map((folder) => join(folder, 'bin'))];
  return { mounts, path: [...new Set([...folders, '/usr/local/bin', '/usr/bin', '/bin'])].join(':') };
}

/** The mounts of one workspace. */
export function mountsOf({ files, home, tmp }: Folders): string[] {
  return ['--bind', files, inside.files, '--bind', home, inside.home, '--bind', tmp, inside.tmp];
}

/** On most systems links into /usr by now. */
function systemFolder(folder: string): string[] {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return stats.isSymbolicLink() ? ['--symlink', readlinkSync(folder), folder] : ['--ro-bind', folder, folder];
}

/** Where names of the network are looked up. Often a link to somewhere in /run. */
export function resolver(): string[] {
  try {
    return ['--ro-bind', realpathSync('/etc/resolv.conf'), '/etc/resolv.conf'];
  } catch {
    return [];
  }
}

/**
 * Node with its npm where it is not below /usr, such as one of nvm: only its own files, since what they lie in may be
 * the user's home.
 */
function findNode(): string[] {
  const inPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const own = basename(process.execPath) === 'node' ? [process.execPath] : [];
  const found = [...own, ...inPath].find((file) => existsSync(file) && !file.includes('node_modules'));
  if (found === undefined) return [];
  const node = realpathSync(found);
  if (node.startsWith('/usr/')) return [];
  const bin = dirname(node);
  const files = ['npm', 'npx', 'corepack'].map((name) => join(bin, name));
  return [node, ...files, join(dirname(bin), 'lib/node_modules')].filter((file) => existsSync(file));
}
