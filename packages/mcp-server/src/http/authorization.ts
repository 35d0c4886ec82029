import { createHash } from 'node:crypto';
import {
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  oauthMetadataResponse,
  verifyBearerToken,
  type AuthInfo,
  type OAuthMetadata,
} from '@modelcontextprotocol/server';
import { refused } from '@mustard-sandbox/remote/door';
import type { JWTVerifyGetKey } from 'jose';
import { discover } from './discovery.ts';

/**
 * Algorithms for keys that the issuer publishes. Those with which anyone could sign (`none`, and the shared keys of
 * `HS`) are not among them.
 */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** How far clocks may differ, in s. */
const clockTolerance = 30;

export interface AuthorizationOptions {
  issuer: string;
  /** The address of this server for clients. */
  resource: string;
  scope: string;
}

/** A user with a valid token. */
export interface User {
  /** The name of the user's folder. It reveals nothing about the user. */
  name: string;
}

interface Issuer {
  metadata: OAuthMetadata;
  keys: JWTVerifyGetKey;
}

/**
 * A resource server of OAuth 2.1. It accepts tokens that one authorization server has made for this server, and says
 * where to get one.
 */
export class Authorization {
  readonly #options: AuthorizationOptions;
  readonly #metadataUrl: string;
  #issuer: Promise<Issuer> | undefined;

  constructor(options: AuthorizationOptions) {
    this.#options = options;
    this.#metadataUrl = getOAuthProtectedResourceMetadataUrl(new URL(options.resource));
  }

  /**
   * The owner of a token; `undefined` for a token that nobody can have by mistake.
   *
   * @throws {OAuthError} there is no token, it has expired, or it does not allow this
   * @throws {SandboxError} `invalid_request` with the status 503: the authorization server cannot be asked for its keys
   */
  async identify(authorization: string | undefined): Promise<User | undefined> {
    if (authorization === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, 'A token is needed.');
    try {
      const { extra } = await verifyBearerToken(authorization, {
        verifier: { verifyAccessToken: (token) => this.#verify(token) },
        requiredScopes: [this.#options.scope],
        resourceMetadataUrl: this.#metadataUrl,
        expectedResource: new URL(this.#options.resource),
      });
      return { name: extra?.['user'] as string };
    } catch (error) {
      if (error instanceof WrongToken) return undefined;
      throw error;
    }
  }

  /** The answer to a request without a valid token, which says where to get one. */
  challenge(error: unknown): Response {
    return bearerAuthChallengeResponse(error, {
      requiredScopes: [this.#options.scope],
      resourceMetadataUrl: this.#metadataUrl,
    });
  }

  /** The metadata that clients read before they ask for a token; `undefined` for another address. */
  async metadata(request: Request): Promise<Response | undefined> {
    if (!new URL(request.url).pathname.startsWith('/.well-known/oauth-')) return undefined;
    const { metadata } = await this.#open();
    return oauthMetadataResponse(request, {
      oauthMetadata: metadata,
      resourceServerUrl: new URL(this.#options.resource),
      scopesSupported: [this.#options.scope],
      resourceName: 'mustard-sandbox',
      // The options were checked: such an issuer is on this machine.
      dangerouslyAllowInsecureIssuerUrl: true,
    });
  }

  async #verify(token: string): Promise<AuthInfo> {
    const { jwtVerify, errors } = await import('jose');
    const { issuer, resource } = this.#options;
    const { keys } = await this.#open();
    try {
      const { payload } = await jwtVerify<{ client_id?: unknown; scope?: unknown }>(token, keys, {
        ...{ issuer, algorithms, clockTolerance },
        audience: [resource, resource.replace(/\/$/, '')],
        requiredClaims: ['exp', 'sub'],
      });
      const { sub, exp, client_id: clientId, scope } = payload;
      const user = createHash('sha256')
        .update(JSON.stringify([issuer, sub]))
        .digest('hex')
        .slice(0, 32);
      return {
        token: '',
        clientId: typeof clientId === 'string' ? clientId : '',
        scopes: typeof scope === 'string' ? scope.split(' ') : [],
        // The tolerance applies here, too.
        expiresAt: (exp as number) + clockTolerance,
        resource: new URL(resource),
        extra: { user },
      };
    } catch (error) {
      if (error instanceof errors.JWTExpired)
        throw new OAuthError(OAuthErrorCode.InvalidToken, 'The token has expired.');
      if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError)) throw unreachable(error);
      throw new WrongToken(OAuthErrorCode.InvalidToken, 'The token is not valid.');
    }
  }

  #open(): Promise<Issuer> {
    this.#issuer ??= this.#ask();
    // The authorization server may answer later.
    this.#issuer.catch(() => (this.#issuer = undefined));
    return this.#issuer;
  }

  async #ask(): Promise<Issuer> {
    const metadata = await discover(this.#options.issuer).catch((error: unknown) => {
      throw unreachable(error);
    });
    const { createRemoteJWKSet } = await import('jose');
    return { metadata, keys: createRemoteJWKSet(new URL(metadata.jwks_uri)) };
  }
}

class WrongToken extends OAuthError {}

function unreachable(cause: unknown): Error {
  const error = refused(503, 'The authorization server cannot be asked for its keys. Try again later.');
  error.cause = cause;
  return error;
}
