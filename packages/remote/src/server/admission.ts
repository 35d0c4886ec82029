import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { SandboxError } from '@mustard-sandbox/protocol';
import { refused } from '../store/problems.ts';
import { clientAddress, isProxy, refusalOf, WrongTokens, type PagePolicy } from './gate.ts';
import type { Strangers } from './strangers.ts';

type Awaitable<T> = T | Promise<T>;

export interface AdmissionOptions<Who extends { name: string }> extends PagePolicy {
  strangers: Strangers;
  /** Addresses of proxies whose `X-Forwarded-For` gives the addresses of their clients. */
  proxies: readonly string[];
  /**
   * Returns the owner of the token in the header `Authorization`; `undefined` for a wrong token, which counts against
   * its address. An error that it throws does not count.
   */
  identify: (authorization: string | undefined) => Awaitable<Who | undefined>;
  /** Called for a wrong token. */
  onWrong: (address: string | undefined) => void;
}

/** Decides who may connect: no page of a browser, and nobody without a valid token. */
export class Admission<Who extends { name: string }> {
  readonly #options: AdmissionOptions<Who>;
  readonly #wrongTokens = new WrongTokens();

  constructor(options: AdmissionOptions<Who>) {
    this.#options = options;
  }

  /**
   * @throws {SandboxError} `invalid_request` with the status 403 or 421 for a request that a browser makes for a page
   */
  refusePages(headers: IncomingHttpHeaders): void {
    const refusal = refusalOf(headers, this.#options);
    if (refusal !== undefined) throw refused(refusal.status, refusal.message);
  }

  /**
   * The owner of a request.
   *
   * @throws {SandboxError} `invalid_request` with the status 401; 429 for every request of an address that sent too
   * many wrong
   *   tokens; also the error of `identify`
   */
  async whose({ socket, headers }: IncomingMessage): Promise<Who> {
    const { proxies, strangers, identify, onWrong } = this.#options;
    const address = clientAddress(socket, headers, proxies);
    // A proxy uses one connection for many clients.
    const before = isProxy(socket.remoteAddress, proxies) ? undefined : strangers.tenantOf(socket);
    const isOver = this.#wrongTokens.isOver(address);
    if (isOver && before === undefined) throw tooManyWrong();
    const who = await identify(headers.authorization);
    // A connection that had a token may continue with it, but with no other. Otherwise guesses could go on through a
    // proxy that uses one connection for all of its clients.
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
  return refused(
    429,
    'Too many wrong tokens came from this address. Wait some seconds; until then no token is checked.',
  );
}
