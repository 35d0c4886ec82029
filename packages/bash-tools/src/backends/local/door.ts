import type { ChildProcess } from 'node:child_process';
import type { Server } from 'node:net';
import { channelFd } from '@mustard-sandbox/client/isolation';

/** Where the proxy listens in the jail. The network of a jail is its own, so the port is free. */
const port = 63128;

/**
 * What the shell of a jail does before it has its command: Node listens in the network of the jail, hands the listening
 * socket to the host, and ends. A socket stays in the network in which it was made. So the host accepts the connections
 * of the command itself, and the jail holds no file, no process and no socket of the host.
 */
export const openDoor =
  `node -e 'const s = require("net").createServer().listen(${port}, "127.0.0.1", () => ` +
  `process.send("door", s, () => process.exit()))' || { echo "A command with network needs Node in its jail." >&2; exit 125; }; ` +
  // Node would take whatever has this descriptor later for the channel, and close it.
  `exec ${channelFd}>&-; unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE`;

/** The listening socket of a jail, when its shell has opened it; it does not keep the host alive. */
export function takeDoor(subprocess: ChildProcess): Promise<Server> {
  return new Promise((settle) => {
    subprocess.once('message', (_, server) => {
      (server as Server).unref();
      if (subprocess.connected) subprocess.disconnect();
      settle(server as Server);
    });
  });
}

const address = `http://127.0.0.1:${port}`;
const none = 'localhost,127.0.0.1,::1';

/** With these, programs use the proxy. npm, pip, git, curl and cargo read them too. */
export const doorVariables: Record<string, string> = {
  HTTP_PROXY: address,
  HTTPS_PROXY: address,
  http_proxy: address,
  https_proxy: address,
  NO_PROXY: none,
  no_proxy: none,
  npm_config_proxy: address,
  npm_config_https_proxy: address,
  npm_config_noproxy: none,
  PIP_PROXY: address,
  YARN_HTTP_PROXY: address,
  YARN_HTTPS_PROXY: address,
  // `fetch` of Node looks at the others only with this, from Node 22.21 on.
  NODE_USE_ENV_PROXY: '1',
};
