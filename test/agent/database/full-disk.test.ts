import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const child = fileURLToPath(new URL('fixtures/full-disk.mjs', import.meta.url));

/** A small disk of its own, where bubblewrap can make one. */
const jail = ['--dev-bind', '/', '/', '--size', String(16 * 1024 * 1024), '--tmpfs', '/mnt'];
const canMount = spawnSync('bwrap', [...jail, 'true']).status === 0;
if (!canMount) process.stderr.write('The test of a full disk is skipped: bubblewrap makes no disk here.\n');

test.skipIf(!canMount)(
  'a full disk is named as that, loses nothing that was saved, and is gone when there is room',
  () => {
    const { stdout, stderr, status } = spawnSync('bwrap', [...jail, process.execPath, child, '/mnt'], {
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      small: 201,
      large: 'disk_full',
      left: [],
      full: 'SQLITE_FULL',
      kept: 0,
      again: 1,
    });
  },
);
