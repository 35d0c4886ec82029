import { constants, existsSync, fstatSync, lstatSync, readlinkSync, realpathSync, type BigIntStats } from 'node:fs';

/** Tells which file or folder a descriptor refers to. */
export interface Locator {
  /**
   * The link-free absolute path of what `fd` refers to, or `undefined` when it cannot be told.
   *
   * @param path the link-free path it was opened by
   */
  locate(fd: number, path: string): string | undefined;
  /** A path that lists the folder `fd` refers to. */
  folderPath(fd: number, path: string): string;
}

const deletedSuffix = ' (deleted)';

/** For Linux. The kernel knows what a descriptor refers to, even after a rename, so there is no race. */
export const byDescriptor: Locator = {
  locate(fd) {
    const path = readlinkSync(procPath(fd));
    // The kernel adds ` (deleted)` to the path of a deleted file, so a deleted `.env` would no longer match the
    // denylist. Its place therefore counts as unknown. If a file really has a name with that ending, the path still
    // leads to it.
    if (path.endsWith(deletedSuffix) && !isSameFile(fd, path)) return undefined;
    return path;
  },
  folderPath: procPath,
};

/**
 * For other systems: the path must still be free of links and lead to the same file. On macOS the open itself refuses
 * every link (`openFlags`), so this only confirms it. On Windows an attacker could swap a folder four times within
 * these few calls and go unseen; making links takes a privilege there.
 */
export const byName: Locator = {
  locate(fd, path) {
    const same = realpathSync.native(path) === path && isSameFile(fd, path) && realpathSync.native(path) === path;
    return same ? path : undefined;
  },
  folderPath: (_fd, path) => path,
};

/** The locator of this system. */
export const systemLocator: Locator =
  process.platform === 'linux' && existsSync('/proc/self/fd') ? byDescriptor : byName;

// From <sys/fcntl.h>, macOS 11 on; Node does not export it, and older kernels ignore it.
const darwinNoFollowAny = 0x20000000;

/**
 * Flags for opening a link-free path. O_NONBLOCK is there because opening a FIFO must not wait for its other end.
 * Windows has none of these flags.
 */
export const openFlags =
  constants.O_RDONLY |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOCTTY ?? 0) |
  (process.platform === 'darwin' ? darwinNoFollowAny : 0);

/** Like `openFlags`, for a folder. Opening anything else fails. */
export const openFolderFlags = openFlags | (constants.O_DIRECTORY ?? 0);

function procPath(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

function isSameFile(fd: number, path: string): boolean {
  const open: BigIntStats = fstatSync(fd, { bigint: true });
  const named = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return named !== undefined && named.dev === open.dev && named.ino === open.ino;
}
