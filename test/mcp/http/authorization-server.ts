import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { auth, type OAuthClientInformationMixed, type OAuthClientProvider } from '@modelcontextprotocol/client';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { Provider } from 'oidc-provider';

export const scope = 'mustard-sandbox';
/** A client that is its own metadata document: the server fetches it and knows nobody beforehand. */
export const clientMetadataUrl = 'https://client.example/client.json';
const redirectUri = 'https://client.example/callback';

const clientMetadata = {
  client_id: clientMetadataUrl,
  client_name: 'A client of the tests',
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code'],
  response_types: ['code' as const],
  token_endpoint_auth_method: 'none',
  scope,
};

/** An authorization server of OAuth 2.1, which lets in whoever a test says. */
export interface AuthorizationServer extends AsyncDisposable {
  issuer: string;
  /** A token with these claims, made with the server's own key. */
  sign(claims: JWTPayload & { scope?: string }, options?: { expires?: string | number }): Promise<string>;
  /** A token that a client gets for `resource` in the way of the protocol, from the metadata of that server on. */
  authorize(resource: string, user: string): Promise<string>;
}

export async function openAuthorizationServer(): Promise<AuthorizationServer> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: 'of the server', alg: 'RS256', use: 'sig' } as const;
  let user = '';
  let listener: (request: IncomingMessage, response: ServerResponse) => unknown = () => {};
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    jwks: { keys: [jwk] },
    cookies: { keys: ['of these tests'] },
    scopes: ['openid', scope],
    pkce: { required: () => true },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    fetch: async (input) => {
      const url = input instanceof Request ? input.url : String(input);
      return url === clientMetadataUrl ? Response.json(clientMetadata) : new Response(null, { status: 404 });
    },
    features: {
      devInteractions: { enabled: false },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } }),
      },
    },
    loadExistingGrant: async (context) => {
      const { client, session, params } = context.oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      const grant = new context.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(scope);
      grant.addResourceScope(String(params?.['resource']), scope);
      await grant.save();
      return grant;
    },
  });
  const callback = provider.callback();
  listener = async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return await callback(request, response);
    await provider.interactionFinished(request, response, { login: { accountId: user } });
  };
  return {
    issuer,
    async sign(claims, { expires = '5m' } = {}) {
      const token = new SignJWT({ iss: issuer, sub: 'somebody', scope, client_id: 'c', ...claims });
      return await token
        .setProtectedHeader({ alg: 'RS256', kid: jwk.kid, typ: 'at+jwt' })
        .setIssuedAt()
        .setExpirationTime(expires)
        .sign(privateKey);
    },
    async authorize(resource, account) {
      user = account;
      return await authorized(resource);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What a client of the official library does until it has a token, with a browser that says yes to everything. */
async function authorized(resource: string): Promise<string> {
  let token = '';
  let verifier = '';
  let back = new URLSearchParams();
  let client: OAuthClientInformationMixed | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl: redirectUri,
    clientMetadataUrl,
    clientMetadata,
    clientInformation: () => client,
    saveClientInformation: (information) => void (client = information),
    tokens: () => undefined,
    saveTokens: (tokens) => void (token = tokens.access_token),
    saveCodeVerifier: (text) => void (verifier = text),
    codeVerifier: () => verifier,
    redirectToAuthorization: async (url) => void (back = await answerAt(url)),
  };
  await auth(provider, { serverUrl: resource, scope });
  const [code, iss] = [back.get('code') ?? '', back.get('iss') ?? ''];
  await auth(provider, { serverUrl: resource, authorizationCode: code, iss, scope });
  return token;
}

/** Follows redirects until they leave for the client. */
async function answerAt(start: URL): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  const seen: string[] = [];
  for (let url = start, steps = 0; steps < 10; steps++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${response.status}: ${await response.text()}`);
    url = new URL(location, url);
    seen.push(url.href);
    if (url.href.startsWith(redirectUri)) return url.searchParams;
  }
  throw new Error(`The redirects do not end: ${seen.join(' ')}`);
}
