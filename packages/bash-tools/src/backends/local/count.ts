import type { Space } from './disk.ts';
import { Jail, type JailKit } from './jail.ts';
import { inside, type Folders } from './toolchain.ts';

const countMs = 60_000;

/** Counts as disk.ts does: blocks of 512 bytes, and at least 1 KB for each entry. */
const counting =
  `find ${Object.values(inside).join(' ')} -mindepth 1 -printf '%b\\n' | ` +
  `awk '{ files++; bytes += $1 < 2 ? 1024 : $1 * 512 } END { printf "%d %d", bytes, files }'`;

/**
 * Counts files that a command made unreadable for their owner. It runs in a jail in which one capability opens all
 * folders of the workspace, so no mode has to be changed, and no link leads out.
 *
 * @throws when the files could not be counted
 */
export async function countInJail(kit: JailKit, { files, home, tmp }: Folders): Promise<Space> {
  const jail = new Jail(kit, { files, home, tmp }, { mounts: ['--cap-add', 'CAP_DAC_READ_SEARCH'] });
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
  throw new Error(`The files of ${files} could not be counted: ${said}`);
}
