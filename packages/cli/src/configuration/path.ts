import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { UsageError } from '../failure.ts';

/** Where the configuration is, or would be. */
export interface ConfigurationPath {
  /** Absolute. */
  path: string;
  /** Whether somebody named this file. It must then exist. */
  named: boolean;
}

const variable = 'MUSTARD_SANDBOX_CONFIG';

/**
 * The one file that settings come from: `--config`, `$MUSTARD_SANDBOX_CONFIG`, or the user's own. It is never a file of
 * the working folder, because a cloned repository must not raise limits. So a relative path counts only when it was
 * typed.
 *
 * @param flag as typed after `--config`
 * @throws {UsageError} for a relative path in the environment
 */
export function configurationPath(
  flag: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
  platform: string = process.platform,
): ConfigurationPath {
  if (flag === '') throw new UsageError('--config: the path is empty.');
  if (flag !== undefined) return { path: resolve(flag), named: true };
  const named = env[variable];
  if (named !== undefined && named !== '') {
    if (isAbsolute(named)) return { path: named, named: true };
    throw new UsageError(`${variable}: '${named}' is a relative path. Write an absolute one.`);
  }
  return { path: join(userFolder(env, platform), 'mustard-sandbox', 'config.toml'), named: false };
}

function userFolder(env: NodeJS.ProcessEnv, platform: string): string {
  const folder = platform === 'win32' ? env['APPDATA'] : env['XDG_CONFIG_HOME'];
  // The specification of the XDG base directories says that a relative path must be ignored.
  if (folder !== undefined && isAbsolute(folder)) return folder;
  return platform === 'win32' ? join(homedir(), 'AppData', 'Roaming') : join(homedir(), '.config');
}

/** A folder for what the command keeps between its calls, by the same rules. Only the command reads it. */
export function stateFolder(
  name: string,
  env: NodeJS.ProcessEnv = process.env,
  platform: string = process.platform,
): string {
  const folder = platform === 'win32' ? env['LOCALAPPDATA'] : env['XDG_STATE_HOME'];
  const fallback = platform === 'win32' ? join(homedir(), 'AppData', 'Local') : join(homedir(), '.local', 'state');
  return join(folder !== undefined && isAbsolute(folder) ? folder : fallback, 'mustard-sandbox', name);
}
