import { spawn } from 'node:child_process';

/**
 * Asks the system to show an address in the browser of the person. Other users of the machine can read the arguments of a
 * process: the address has a ticket in it, not the token.
 *
 * @returns whether there was something to ask
 */
export async function openBrowser(url: string, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const command = commandFor(url, env);
  if (command === undefined) return false;
  const [file, ...args] = command;
  return await new Promise((resolve) => {
    const child = spawn(file, args, { detached: true, stdio: 'ignore', windowsHide: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function commandFor(url: string, env: NodeJS.ProcessEnv): readonly [string, ...string[]] | undefined {
  if (process.platform === 'darwin') return ['open', url];
  // Not `cmd /c start`: it takes `&` of an address for the end of a command.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  const hasScreen = Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? env['WSL_DISTRO_NAME']);
  return hasScreen ? ['xdg-open', url] : undefined;
}
