import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isPublicAddress } from './addresses.ts';

/** How the proxy of commands finds and reaches hosts. A host application may have a way of its own, such as a gateway. */
export interface Outside {
  /** All addresses of a name. The proxy uses those of the public internet only. */
  lookup: (name: string) => Promise<readonly string[]>;
  /** Begins a connection to an address. */
  connect: (target: { address: string; port: number }) => Socket;
}

/** The name service and the network of this machine. */
export const machineOutside: Outside = {
  lookup: async (name) => (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address),
  connect: ({ address, port }) => connect({ host: address, port }),
};

const lookupMs = 10_000;
const connectMs = 10_000;
/** How many addresses of a name are tried. */
const maxTries = 4;

/** Why a host cannot be reached, as a clause. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/**
 * A connection to the host. Its name is resolved once, and the connection goes to an address that was looked at, so
 * that a name server cannot give another one in between.
 *
 * @throws {Unreachable}
 */
export async function reach(outside: Outside, name: string, port: number): Promise<Socket> {
  const all = await inTime(outside.lookup(name), name);
  const addresses = all.filter(isPublicAddress).slice(0, maxTries);
  if (all.length > 0 && addresses.length === 0) {
    throw new Unreachable('its address is of this machine or of a private network');
  }
  let why = 'its name is not known';
  for (const address of addresses) {
    try {
      return await connected(outside.connect({ address, port }));
    } catch (error) {
      why = `it cannot be reached (${(error as NodeJS.ErrnoException).code ?? 'error'})`;
    }
  }
  throw new Unreachable(why);
}

async function inTime(looking: Promise<readonly string[]>, name: string): Promise<readonly string[]> {
  const late = new AbortController();
  const tooLong = delay(lookupMs, undefined, { signal: late.signal, ref: false }).then(() => {
    throw new Unreachable(`its name was not found in ${lookupMs / 1000} s`);
  });
  tooLong.catch(() => {});
  try {
    return await Promise.race([looking, tooLong]);
  } catch (error) {
    if (error instanceof Unreachable) throw error;
    throw new Unreachable('its name is not known', { cause: `${name}: ${(error as Error).message}` });
  } finally {
    late.abort();
  }
}

async function connected(socket: Socket): Promise<Socket> {
  return await new Promise((settle, reject) => {
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(connectMs, () => fail(Object.assign(new Error('No answer.'), { code: 'ETIMEDOUT' })));
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', fail);
      settle(socket);
    });
  });
}
