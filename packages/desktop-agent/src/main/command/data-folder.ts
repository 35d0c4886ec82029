import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

const name = 'mustard-agent';

/** Where the program keeps what it knows, as each system has it. */
export function defaultDataFolder(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  home = homedir(),
): string {
  // A relative path there is to be ignored: https://specifications.freedesktop.org/basedir-spec
  const absolute = (path: string | undefined): string | undefined =>
    path && path === resolve(path) ? path : undefined;
  if (platform === 'win32') return join(absolute(env['APPDATA']) ?? join(home, 'AppData', 'Roaming'), name);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', name);
  return join(absolute(env['XDG_DATA_HOME']) ?? join(home, '.local', 'share'), name);
}
