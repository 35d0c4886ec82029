import type { Space } from './disk.ts';
import { Jail, type JailKit } from './jail.ts';
import { inside, type Folders } from './toolchain.ts';

const countMs = 60_000;

/** As disk.ts counts: blocks of 512 bytes, and 1 KB for each entry at least. */
const counting =
  `find ${Object.values(inside).join(' ')} -mindepth 1 -printf '%b\\n' | ` +
  `awk '{ files++; bytes += $1 < 2 ? 1024 : $1 * 512 } END { printf "%d %d", bytes, files }'`;

/**
 * Counts what a command made unreadable for its owner. In a jail, in which one capability opens all folders of the
 * workspace: no mode has to be changed, and no link leads anywhere.
 *
 * @throws where it could not be counted
 */
export async function countInJail(kit: JailKit, folders: Folders): Promise<Space> {
  const jail = new Jail(kit, folders, ['--cap-add', 'CAP_DAC_READ_SEARCH']);
  const timer = setTimeout(() => void jail.kill(), countMs);
  let said = '';
  try {
    const exitCode = await jail.run(counting, (stream, chunk) => (said += stream === 'stdout' ? chunk.toString() : ''));
    const [, bytes, files] = /^(\d+) (\d+)$/.exec(said) ?? [];
    if (exitCode === 0 && bytes !== undefined && files !== undefined)
      return { bytes: Number(bytes), files: Number(files) };
  } finally {
    clearTimeout(timer);
  }
  throw new Error(`The files of ${folders.files} could not be counted: ${said}`);
}
