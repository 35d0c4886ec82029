import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../packages/cli/dist/main.js', import.meta.url));
const name = `mustard-${process.pid}`;
const addresses = { client: '10.79.13.1', server: '10.79.13.2' };

/**
 * @typedef {{
 *   how: string,
 *   listen: string,
 *   start: (marker: string, args: string[]) => Promise<{ child: import('node:child_process').ChildProcess, url: string }>,
 *   close: () => void,
 * }} Network
 */

const ip = (...args) => execFileSync('ip', args, { stdio: 'pipe' });

/**
 * A machine of its own for the server, as far as this one can play it: another network, behind a link that loses and
 * delays, and another disk where the client's files are. Loopback and the same disk where that takes rights that
 * nobody has here; `how` says which.
 *
 * @param {string} clientFiles a folder that the server must not see
 * @returns {Network}
 */
export function openNetwork(clientFiles) {
  try {
    ip('netns', 'add', name);
    ip('link', 'add', `${name}a`.slice(-15), 'type', 'veth', 'peer', 'name', 'inside', 'netns', name);
  } catch (/** @type {any} */ error) {
    closeNetwork();
    const why = String(error.stderr ?? error.message).trim();
    return {
      how: `loopback, one disk (${why})`,
      listen: '127.0.0.1:0',
      start: (marker, args) => start(marker, [], args),
      close() {},
    };
  }
  const device = `${name}a`.slice(-15);
  ip('addr', 'add', `${addresses.client}/24`, 'dev', device);
  ip('link', 'set', device, 'up');
  ip('-n', name, 'addr', 'add', `${addresses.server}/24`, 'dev', 'inside');
  ip('-n', name, 'link', 'set', 'inside', 'up');
  ip('-n', name, 'link', 'set', 'lo', 'up');
  const lossy = makeLossy(device);
  // A mount of its own hides the client's files: what is at the same path there is another, empty disk.
  const hide = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs none "$0" && exec "$@"', clientFiles];
  return {
    how: `two network namespaces, two disks, ${lossy}`,
    listen: `${addresses.server}:7777`,
    start: (marker, args) => start(marker, ['ip', 'netns', 'exec', name, ...hide], args),
    close: closeNetwork,
  };
}

function makeLossy(device) {
  try {
    execFileSync('tc', ['qdisc', 'add', 'dev', device, 'root', 'netem', 'delay', '2ms', 'loss', '0.5%'], {
      stdio: 'pipe',
    });
    return '2 ms of delay and 0.5 % of loss';
  } catch {
    return 'no delay and no loss (netem cannot be set here)';
  }
}

function closeNetwork() {
  try {
    ip('netns', 'del', name);
  } catch {
    // It was never made.
  }
}

/** A server over loopback. @param {string} marker a folder, by which its processes are found @param {string[]} args */
export const startServer = (marker, args) => start(marker, [], args);

/** @param {string} marker a folder, by which its processes are found @param {string[]} before @param {string[]} args */
async function start(marker, before, args) {
  const [command, ...rest] = [...before, process.execPath, main, 'serve', '--log-level', 'error', '--quiet', ...args];
  const child = spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: marker },
  });
  const [line] = await once(child.stdout, 'data');
  return { child, url: String(line).trim() };
}
