import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { SandboxError } from '@mustard-sandbox/protocol';
import { refused } from '../store/problems.ts';
import { clientAddress, isProxy, refusalOf, WrongTokens, type PagePolicy } from './gate.ts';
import type { Strangers } from './strangers.ts';

type Awaitable<T> = T | Promise<T>;

export interface AdmissionOptions<Who extends { name: string }> extends PagePolicy {
  strangers: Strangers;
  /** Addresses of proxies whose `X-Forwarded-For` says where their clients are. */
  proxies: readonly string[];
  /**
   * Whose token it is, from the header `Authorization`; `undefined` for a wrong one, which counts against its address.
   * What it throws does not count.
   */
  identify: (authorization: string | undefined) => Awaitable<Who | undefined>;
  /** Hears of a wrong token. */
  onWrong: (address: string | undefined) => void;
}

/** Decides who comes in: no page of a browser, and nobody without a right token. */
export class Admission<Who extends { name: string }> {
  readonly #options: AdmissionOptions<Who>;
  readonly #wrongTokens = new WrongTokens();

  constructor(options: AdmissionOptions<Who>) {
    this.#options = options;
  }

  /** @throws {SandboxError} `invalid_request` with the status 403 or 421 for what a browser sends for a page */
  refusePages(headers: IncomingHttpHeaders): void {
    const refusal = refusalOf(headers, this.#options);
    if (refusal !== undefined) throw refused(refusal.status, refusal.message);
  }

  /**
   * Whose request it is.
   *
   * @throws {SandboxError} `invalid_request` with the status 401; 429 for everyone at an address that sent too many wrong
   *   tokens; also what `identify` throws
   */
  async whose({ socket, headers }: IncomingMessage): Promise<Who> {
    const { proxies, strangers, identify, onWrong } = this.#options;
    const address = clientAddress(socket, headers, proxies);
    // A proxy uses one connection for many clients.
    const before = isProxy(socket.remoteAddress, proxies) ? undefined : strangers.tenantOf(socket);
    const isOver = this.#wrongTokens.isOver(address);
    if (isOver && before === undefined) throw tooManyWrong();
    const who = await identify(headers.authorization);
    // A connection that had a token goes on with it, and with no other one: through a proxy that uses a connection for
    // all of its clients, guesses would go on.
    if (who !== undefined && (!isOver || who.name === before)) {
      strangers.knows(socket, who.name);
      return who;
    }
    if (isOver) throw tooManyWrong();
    this.#wrongTokens.count(address);
    onWrong(address);
    throw refused(401, 'The token is wrong, or there is none.');
  }
}

function tooManyWrong(): SandboxError {
  return refused(429, 'Too many wrong tokens came from this address. Wait some seconds; until then none is looked at.');
}
