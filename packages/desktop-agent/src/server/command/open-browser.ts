import { pathToFileURL } from 'node:url';
import { startProcess } from '@mustard-sandbox/client/isolation';

/**
 * Asks the system to show an address in the person's browser. Other users of the machine can read the arguments of a
 * process, so the address has a ticket and not the token.
 *
 * @returns whether there was a program to ask
 */
export async function openBrowser(url: string, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const command = commandFor(url, env);
  if (command === undefined) return false;
  return await new Promise((resolve) => {
    const stdio = ['ignore' as const, 'ignore' as const, 'ignore' as const];
    const child = startProcess(command, { detached: true, stdio, windowsHide: true }, () => resolve(false));
    child?.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** Shows a folder of this machine in the file manager. @returns whether there was something to ask */
export async function openFolder(path: string): Promise<boolean> {
  return await openBrowser(pathToFileURL(path).href);
}

function commandFor(url: string, env: NodeJS.ProcessEnv): readonly [string, ...string[]] | undefined {
  if (process.platform === 'darwin') return ['open', url];
  // `cmd /c start` would take a `&` in the address for the end of the command.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  const hasScreen = Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? env['WSL_DISTRO_NAME']);
  return hasScreen ? ['xdg-open', url] : undefined;
}
