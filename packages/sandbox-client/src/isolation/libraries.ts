import { basename, dirname } from 'node:path';
import { probeTimeoutMs } from './bubblewrap-executable.ts';
import { outputOf } from './spawn.ts';

/**
 * The files that the dynamic linker loads for `executable` and addons, by the paths at which it finds them. The linker
 * lists them itself, without starting the program. `ldd`, a shell script around the same call, takes five times as
 * long.
 *
 * @throws the error of the system when the program cannot be started
 */
export async function librariesOf(executable: string, addons: readonly string[] = []): Promise<string[]> {
  const variables = {
    LD_TRACE_LOADED_OBJECTS: '1',
    // The folder is given apart from the name, because in LD_PRELOAD a space ends a name.
    LD_LIBRARY_PATH: addons.map((addon) => dirname(addon)).join(':'),
    LD_PRELOAD: addons.map((addon) => basename(addon)).join(':'),
  };
  // The variables are set for this program alone. They would also keep the shell that starts it from running.
  const env = ['/usr/bin/env', ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)];
  // A static executable has no linker to stop it, and would wait for a program to run.
  const stdout = await outputOf([...env, executable, '--version'], { env: {}, timeout: probeTimeoutMs });
  const paths = [...stdout.matchAll(/^\s+(?:.+ => )?(\/.+) \(0x[0-9a-f]+\)$/gm)].map(([, path]) => path as string);
  return paths.filter((path) => !addons.includes(path));
}
