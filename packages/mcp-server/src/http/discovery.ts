import type { OAuthMetadata } from '@modelcontextprotocol/server';
import * as z from 'zod';

const timeoutMs = 5_000;
const maxBytes = 256 * 1024;

const metadataSchema = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  response_types_supported: z.array(z.string()).default(['code']),
});

/**
 * The metadata of an authorization server, by RFC 8414 or OpenID Connect Discovery.
 *
 * @throws {Error} when it does not answer, or answers for another issuer
 */
export async function discover(issuer: string): Promise<OAuthMetadata & { jwks_uri: string }> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  let problem: unknown;
  for (const place of new Set(places)) {
    try {
      return await read(place, issuer);
    } catch (error) {
      problem ??= error;
    }
  }
  throw problem as Error;
}

async function read(place: string, issuer: string): Promise<OAuthMetadata & { jwks_uri: string }> {
  const response = await fetch(place, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`${place} answered ${response.status}`);
  const text = await response.text();
  if (text.length > maxBytes) throw new Error(`${place} is too long`);
  const metadata = metadataSchema.parse(JSON.parse(text));
  // Otherwise one server could pass for another.
  if (metadata.issuer !== issuer) throw new Error(`${place} belongs to the issuer ${metadata.issuer}`);
  return metadata;
}
