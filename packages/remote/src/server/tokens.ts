import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { invalidRequest } from '@mustard-sandbox/protocol';
import { isLoopback } from '../wire/address.ts';
import type { ResolvedServerOptions } from './options.ts';

const shortest = 32;
const fewestCharacters = 10;

/** Why a token is too easy to guess; `undefined` when it is not. */
export function weaknessOf(token: string): string | undefined {
  if (token.length < shortest) return `it has ${token.length} characters, and needs at least ${shortest}`;
  const different = new Set(token).size;
  if (different < fewestCharacters) return `it has only ${different} different characters`;
  return undefined;
}

/**
 * Refuses an address that others can reach if they could connect without a token, or guess one.
 *
 * @throws {SandboxError} `invalid_request`
 */
export function assertSafeToListen({ address, tokens }: Pick<ResolvedServerOptions, 'address' | 'tokens'>): void {
  // The rights of its file keep others from a Unix socket.
  if ('path' in address || isLoopback(address.host)) return;
  const { host } = address;
  if (tokens.length === 0) {
    throw invalidRequest(
      'serveSandboxes()',
      `${host} can be reached from other machines, so a token is needed (--token-file)`,
    );
  }
  for (const { name, token } of tokens) {
    const why = weaknessOf(token);
    if (why === undefined) continue;
    throw invalidRequest(
      'serveSandboxes()',
      `the token${name === undefined ? '' : ` of ${name}`} is too weak for ${host}: ${why}. ` +
        'Make one with: openssl rand -base64 32',
    );
  }
}

/** The tenant of everybody when no token is needed. */
const withoutTokens = 'local';

/** The tokens that are accepted. */
export class Tokens {
  /**
   * A key of this process. What is compared has the same length for every token, and is a hash that nobody else can
   * make.
   */
  readonly #key = randomBytes(32);
  readonly #known: { digest: Buffer; tenant: string }[];

  /** @throws {SandboxError} `invalid_request` for two tokens with one name, or one token twice */
  constructor(tokens: ResolvedServerOptions['tokens']) {
    this.#known = tokens.map(({ name, token }) => ({ digest: this.#digest(token), tenant: name ?? tenantOf(token) }));
    // Each is the name of a folder, and a disk may ignore case.
    const tenants = new Set(this.#known.map(({ tenant }) => tenant.toLowerCase()));
    const values = new Set(tokens.map(({ token }) => token));
    if (tenants.size === tokens.length && values.size === tokens.length) return;
    throw invalidRequest('serveSandboxes()', 'tokens: two have the same name (also in another case), or are the same');
  }

  /** The tenants of all tokens. Each is the name of a folder. */
  get tenants(): string[] {
    return this.#known.length === 0 ? [withoutTokens] : this.#known.map(({ tenant }) => tenant);
  }

  /**
   * The tenant of a request, from the header `Authorization`; `undefined` for none. It takes the same time for each
   * token.
   */
  tenantOf(authorization: string | undefined): string | undefined {
    if (this.#known.length === 0) return withoutTokens;
    const [, token = ''] = /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(authorization ?? '') ?? [];
    const given = this.#digest(token);
    let tenant: string | undefined;
    for (const known of this.#known) if (timingSafeEqual(known.digest, given)) tenant = known.tenant;
    return tenant;
  }

  #digest(token: string): Buffer {
    return createHmac('sha256', this.#key).update(token).digest();
  }
}

/** A name for logs and folders that does not reveal the token. */
function tenantOf(token: string): string {
  return createHash('sha256').update(`mustard-sandbox tenant ${token}`).digest('hex').slice(0, 16);
}
