import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { invalidRequest } from '@mustard-sandbox/protocol';
import { isLoopback } from '../wire/address.ts';
import type { ResolvedServerOptions } from './options.ts';

const shortest = 32;
const fewestCharacters = 10;

/** Why a token is too easy to guess, if it is. */
export function weaknessOf(token: string): string | undefined {
  if (token.length < shortest) return `it has ${token.length} characters, and ${shortest} are the least`;
  const different = new Set(token).size;
  if (different < fewestCharacters) return `it has only ${different} different characters`;
  return undefined;
}

/**
 * Refuses an address that others can reach when they could come in without a token, or guess one.
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

/** Everybody, where no token is needed. */
const withoutTokens = 'local';

/** The tokens that may come in. */
export class Tokens {
  /** Of this process: what is compared has the same length for every token, and is no hash that anyone else can make. */
  readonly #key = randomBytes(32);
  readonly #known: { digest: Buffer; tenant: string }[];

  /** @throws {SandboxError} `invalid_request` for two with one name, or one token twice */
  constructor(tokens: ResolvedServerOptions['tokens']) {
    this.#known = tokens.map(({ name, token }) => ({ digest: this.#digest(token), tenant: name ?? tenantOf(token) }));
    // Each is a folder, and a disk may take upper case for lower case.
    const tenants = new Set(this.#known.map(({ tenant }) => tenant.toLowerCase()));
    const values = new Set(tokens.map(({ token }) => token));
    if (tenants.size === tokens.length && values.size === tokens.length) return;
    throw invalidRequest('serveSandboxes()', 'tokens: two have the same name (also in another case), or are the same');
  }

  /** The tenants of all tokens; each is the name of a folder. */
  get tenants(): string[] {
    return this.#known.length === 0 ? [withoutTokens] : this.#known.map(({ tenant }) => tenant);
  }

  /** Whose requests these are, from the header `Authorization`; `undefined`: nobody's. Takes the same time for each. */
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

/** A name for logs and folders, from which the token cannot be found. */
function tenantOf(token: string): string {
  return createHash('sha256').update(`mustard-sandbox tenant ${token}`).digest('hex').slice(0, 16);
}
