import { constants, existsSync, fstatSync, lstatSync, readlinkSync, realpathSync, type BigIntStats } from 'node:fs';

/** How to tell what a descriptor refers to. */
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
    // For a deleted file the kernel adds ` (deleted)`, so `.env` no longer matches the denylist: its place counts as
    // unknown. A file may really have a name that ends so; then that name still leads to it.
    if (path.endsWith(deletedSuffix) && !isSameFile(fd, path)) return undefined;
    return path;
  },
  folderPath: procPath,
};

/**
 * For other systems: the name must still be free of links and lead to the same file. On macOS the open itself refuses
 * every link (`openFlags`), so this only confirms it. On Windows four swaps of a folder within these few calls could
 * pass unseen; there, making links takes a privilege.
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

/** Flags for a link-free path. O_NONBLOCK: opening a FIFO must not wait for its other end. Windows has none of these. */
export const openFlags =
  constants.O_RDONLY |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOCTTY ?? 0) |
  (process.platform === 'darwin' ? darwinNoFollowAny : 0);

/** As `openFlags`, for a folder; what is no folder fails. */
export const openFolderFlags = openFlags | (constants.O_DIRECTORY ?? 0);

function procPath(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

function isSameFile(fd: number, path: string): boolean {
  const open: BigIntStats = fstatSync(fd, { bigint: true });
  const named = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return named !== undefined && named.dev === open.dev && named.ino === open.ino;
}
