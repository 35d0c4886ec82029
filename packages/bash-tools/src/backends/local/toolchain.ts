import { lstatSync, readlinkSync, realpathSync, existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';

/** The paths of a workspace's folders inside the jail. */
export const inside = { files: '/workspace', home: '/home/agent', tmp: '/tmp' } as const;

/** The user inside. As root, programs would try what root cannot do there, such as changing owners. */
const userId = '1000';

const systemFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** Files that programs of /usr look up, and that hold no secret. */
const settings = [
  ...['alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'mime.types', 'protocols', 'services'],
  ...['ssl/certs', 'ssl/openssl.cnf', 'ca-certificates', 'pki/tls/certs', 'fonts', 'java', 'python3', 'perl', 'magic'],
].map((name) => `/etc/${name}`);

/** Files of /etc that a jail has of its own, because those of the machine name its users. */
const ownSettings = {
  passwd: `agent:x:${userId}:${userId}::${inside.home}:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n`,
  group: `agent:x:${userId}:\nnogroup:x:65534:\n`,
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/** Memory for programs that share it by name, such as Python's multiprocessing. Containers have the same amount. */
const sharedMemoryBytes = 64 * 1024 * 1024;

/** Where the files of one workspace are on this machine. */
export interface Folders {
  files: string;
  home: string;
  tmp: string;
  /** `files` is a folder of the user, used directly. */
  isUsers?: true;
  /** A folder of the user. Commands read its packages and its history, which are not copied. */
  project?: string;
}

interface ToolchainOptions {
  /** A folder of the host's own, for files that every jail has. */
  state: string;
  /** Further files and folders to read, such as a toolchain outside of /usr. */
  extra: readonly string[];
  network: boolean;
  hasSize: boolean;
}

/** What all jails of a host contain in addition to their workspace. */
export interface Toolchain {
  mounts: string[];
  path: string;
}

/** Finds the programs for builds, and writes the files of /etc that jails have of their own. */
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
    // bubblewrap can bound its size only from 0.7 on.
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

/** On most systems these are links into /usr. */
function systemFolder(folder: string): string[] {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return stats.isSymbolicLink() ? ['--symlink', readlinkSync(folder), folder] : ['--ro-bind', folder, folder];
}

/** The file with the name servers, which is often a link into /run. */
export function resolver(): string[] {
  try {
    return ['--ro-bind', realpathSync('/etc/resolv.conf'), '/etc/resolv.conf'];
  } catch {
    return [];
  }
}

/**
 * Node with its npm if it is not below /usr, as with nvm. Only its own files are visible, because the folder around
 * them may be the user's home.
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
