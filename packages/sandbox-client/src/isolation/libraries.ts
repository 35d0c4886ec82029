import { execFile } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { probeTimeoutMs } from './bubblewrap-executable.ts';

const run = promisify(execFile);

/**
 * What the dynamic linker loads for `executable` and addons, by the paths at which it finds them: it lists them itself,
 * without starting the program. `ldd`, a shell script around the same, takes five times as long.
 *
 * @throws what the system does when it cannot be started
 */
export async function librariesOf(executable: string, addons: readonly string[] = []): Promise<string[]> {
  const env = {
    LD_TRACE_LOADED_OBJECTS: '1',
    // The folder is given apart from the name, because in LD_PRELOAD a space ends a name.
    LD_LIBRARY_PATH: addons.map((addon) => dirname(addon)).join(':'),
    LD_PRELOAD: addons.map((addon) => basename(addon)).join(':'),
  };
  // A static executable has no linker to stop it, and would wait for a program to run.
  const { stdout } = await run(executable, ['--version'], { env, timeout: probeTimeoutMs });
  const paths = [...stdout.matchAll(/^\s+(?:.+ => )?(\/.+) \(0x[0-9a-f]+\)$/gm)].map(([, path]) => path as string);
  return paths.filter((path) => !addons.includes(path));
}
