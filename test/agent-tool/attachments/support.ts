import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect } from 'vitest';
import {
  AttachmentError,
  AttachmentStore,
  type AgentEvent,
  type AttachmentStoreOptions,
} from '@mustard-sandbox/agent-tool';
import { SandboxError } from '@mustard-sandbox/client';
import { AttachmentError as AttachmentErrorOfSource } from '../../../packages/agent-tool/src/attachments/errors.ts';
import { makeFolder, type Layout } from '../../files/support.ts';

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

export interface App {
  path: string;
  store: AttachmentStore;
  events: AgentEvent[];
}

/** A fresh app folder, with a store in it. */
export function makeApp(layout: Layout = {}, options: AttachmentStoreOptions = {}): App {
  const path = makeFolder(layout);
  const events: AgentEvent[] = [];
  return { path, events, store: new AttachmentStore(path, { events: (event) => events.push(event), ...options }) };
}

/** A stream with this content, in chunks of these sizes. */
export async function* bytes(content: string | Uint8Array, chunk = 64 * 1024): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(content);
  for (let start = 0; start < all.length; start += chunk) yield all.subarray(start, start + chunk);
}

/** What a promise is rejected with; fails when it is fulfilled, or rejected with anything that is not ours. */
export async function failureOf(promise: Promise<unknown>): Promise<AttachmentError | SandboxError> {
  const result = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('value' in result) throw new Error(`Nothing was thrown; it gave ${JSON.stringify(result.value)}`);
  for (const ours of [AttachmentError, AttachmentErrorOfSource, SandboxError]) {
    if (result.error instanceof ours) return result.error;
  }
  throw new Error('Not an error of ours', { cause: result.error });
}

const blob = /^([0-9a-f]{64})\.[a-z0-9]+$/;

export function blobsIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => blob.test(name));
}

/** Files that only stand there while something is written or somebody works. */
export function leftoversIn(directory: string): string[] {
  const locks = join(directory, '.lock');
  const claims = existsSync(locks) ? readdirSync(locks) : [];
  return [...readdirSync(directory).filter((name) => name.startsWith('.partial-')), ...claims];
}

/**
 * What must hold in a media folder whatever happened to it: every file has the hash that it is named after, and
 * the manifest can be read and names files that are there.
 *
 * @returns the manifest's entries
 */
export function expectSound(directory: string): { name: string; sha256: string; file: string }[] {
  const names = readdirSync(directory);
  for (const name of names) {
    const hash = blob.exec(name)?.[1];
    if (hash !== undefined) expect(sha256(readFileSync(join(directory, name))), name).toBe(hash);
  }
  if (!names.includes('manifest.json')) {
    expect(blobsIn(directory)).toEqual([]);
    return [];
  }
  const { schema, version, attachments } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
  expect({ schema, version }).toEqual({ schema: 'mustard-sandbox/attachments', version: 2 });
  for (const { file } of attachments) expect(names).toContain(file);
  return attachments;
}

const here = dirname(fileURLToPath(import.meta.url));

/**
 * A fixture as one file, ready to start. Hundreds of processes run it, so it must start fast: unbundled, most of
 * their time would go into loading modules. The protocol has all that the store takes from the client.
 */
export async function bundleFixture(name: string, folder: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(here, 'fixtures', `${name}.ts`)],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    alias: { '@mustard-sandbox/client': '@mustard-sandbox/protocol' },
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  });
  return outfile;
}
