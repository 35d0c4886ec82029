import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { SandboxError } from '@mustard-sandbox/client';
import type { Bound } from './seal.ts';
import { hashOf } from './seal.ts';
import type { StartOptions } from './types.ts';

/** How a run was started. It is kept sealed, so that a store cannot change what is run. */
export interface Spec extends Omit<StartOptions, 'id' | 'expiresAt' | 'tools'> {
  tools: readonly string[];
}

interface Attachment {
  name: string;
  path: string;
}

/** What the seal of a spec is bound to, which is known without opening it. */
export function boundOfSpec(tenant: string, run: string): Bound {
  return { tenant, run, step: -1, script: '', scope: '', files: '', tools: '' };
}

/** What the snapshots of a run are bound to. */
export class Binder {
  readonly #bound: Omit<Bound, 'step' | 'files'>;
  readonly #attachments: Attachment[];
  readonly #hashes = new Map<string, { mark: string; hash: string }>();

  /** @param tools a fingerprint of the tools that the script may call */
  constructor(tenant: string, run: string, spec: Spec, tools: string) {
    const { script, scope = {}, limits = {}, engine = 'auto' } = spec;
    const { attachments = [], ...rest } = scope;
    this.#bound = { tenant, run, script: hashOf([script, engine]), scope: hashOf([rest, limits]), tools };
    this.#attachments = attachments;
  }

  /** @param more files that the run has in addition to the attachments that it was started with */
  async at(step: number, more: readonly Attachment[]): Promise<Bound> {
    const all = [...this.#attachments, ...more];
    const files = await Promise.all(all.map(async ({ name, path }) => [name, await this.#hashed(path)]));
    return { ...this.#bound, step, files: hashOf(files) };
  }

  /** @throws {SandboxError} `snapshot_refused` for a file that has changed since the run made it */
  async assertSame({ name, path }: Attachment, sha256: string): Promise<void> {
    if ((await this.#hashed(path)) === sha256) return;
    throw new SandboxError('snapshot_refused', `The file ${name} of the run has changed, or is missing.`, {
      details: { refusal: 'file_changed' },
    });
  }

  /** SHA-256 of a file. A file that seems unchanged is not read again. */
  async #hashed(path: string): Promise<string> {
    const mark = await markOf(path);
    const known = this.#hashes.get(path);
    if (known?.mark === mark) return known.hash;
    const digest = createHash('sha256');
    if (mark !== missing) await pipeline(createReadStream(path), digest);
    const hash = mark === missing ? missing : digest.digest('hex');
    this.#hashes.set(path, { mark, hash });
    return hash;
  }
}

const missing = 'missing';

async function markOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = await stat(path);
    return [dev, ino, size, mtimeMs, ctimeMs].join(' ');
  } catch {
    return missing;
  }
}
