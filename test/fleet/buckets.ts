import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { s3Store, type ObjectStore } from '@mustard-sandbox/fleet';
import { onTestFinished, vi } from 'vitest';
import { S3Server } from './s3-server.ts';

/** A server that speaks S3, and checks signatures. */
export async function bucket(): Promise<{ url: string; server: S3Server }> {
  const server = new S3Server('right');
  const endpoint = await server.start();
  onTestFinished(() => server.close());
  giveCredentials('right');
  return { url: `s3://fleet-files/of/us?endpoint=${encodeURIComponent(endpoint)}`, server };
}

export function giveCredentials(secret: string): void {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'TESTER');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secret);
  // No machine is asked for others.
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** The same store for a worker, which has no rights of its own: everything needs a pass. */
export function withoutRights(store: ObjectStore): ObjectStore {
  const allowed = (pass: string | undefined): string => {
    if (pass === undefined) throw new Error('A worker has no credentials.');
    return pass;
  };
  return {
    has: () => Promise.reject(new Error('A worker has no credentials.')),
    put: (name, content, pass) => store.put(name, content, allowed(pass)),
    get: (name, pass) => store.get(name, allowed(pass)),
  };
}

/** A server that answers as it likes. @returns a store that goes there */
export async function liar(answer: RequestListener): Promise<{ store: ObjectStore; endpoint: string }> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => (server.closeAllConnections(), void server.close()));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  giveCredentials('right');
  return { store: s3Store({ bucket: 'fleet-files', endpoint, stallMs: 300 }), endpoint };
}
