import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { fileAt, parseInput, type DeclaredAttachment } from './attachment-input.ts';
import { badAttachment, readStart, sizeOf, throwIfCancelled } from './content.ts';
import { certainMediaType, signatureBytes } from './media-type.ts';

/** A file or bytes that were found and looked at, but not read. */
export interface ResolvedAttachment extends DeclaredAttachment {
  /** Bytes. */
  size: number;
}

/**
 * All files behind the inputs in their order, those of a pattern by their path, each path once.
 *
 * @throws {SandboxError} `invalid_request` naming what is missing, malformed, no file, or not what it is declared as
 */
export async function resolveAttachments(
  inputs: readonly unknown[],
  cwd: string,
  signal: AbortSignal | undefined,
): Promise<ResolvedAttachment[]> {
  const parsed = inputs.map((input, index) => parseInput(input, index, cwd));
  const resolved: ResolvedAttachment[] = [];
  const seen = new Set<string>();
  for (const input of parsed) {
    for (const found of typeof input === 'string' ? await find(input, cwd, signal) : [input]) {
      throwIfCancelled(signal);
      if ('path' in found.content) {
        if (seen.has(found.content.path)) continue;
        seen.add(found.content.path);
      }
      resolved.push(await lookAt(found));
    }
  }
  return resolved;
}

async function find(text: string, cwd: string, signal: AbortSignal | undefined): Promise<DeclaredAttachment[]> {
  const path = resolve(cwd, text);
  // A file may be called `[2024].log`: what is there goes before what could match.
  const isPattern = isDynamicPattern(text) && !(await exists(path));
  const source = { text, isPattern };
  const paths = isPattern ? await matches(text, cwd, signal) : [path];
  return paths.map((path) => fileAt(path, cwd, source));
}

async function matches(pattern: string, cwd: string, signal: AbortSignal | undefined): Promise<string[]> {
  const paths = await glob(process.platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern, {
    cwd,
    absolute: true,
    expandDirectories: false,
    // Links can lead out of the folder and around in circles. One that is named itself is followed.
    followSymbolicLinks: false,
    ignore: pattern.includes('node_modules') ? [] : ['**/node_modules/**'],
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    throwIfCancelled(signal);
    throw badAttachment(pattern, 'the pattern cannot be used', error);
  });
  throwIfCancelled(signal);
  if (paths.length > 0) return paths.map((path) => resolve(path)).sort();
  const hint = 'names that begin with a dot, and node_modules, have to be written out';
  throw badAttachment(pattern, `the pattern matches no file in ${cwd} (${hint})`);
}

async function lookAt(declared: DeclaredAttachment): Promise<ResolvedAttachment> {
  const { name, content, mediaType } = declared;
  const size = await sizeOf(name, content);
  const { bytes } = await readStart(name, content, signatureBytes);
  return { ...declared, size, mediaType: certainMediaType(name, mediaType, bytes) };
}

/** In bytes. */
export function totalOf(attachments: readonly ResolvedAttachment[]): number {
  return attachments.reduce((total, { size }) => total + size, 0);
}

/** A link that leads nowhere is there as well, and worth its own error. */
async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}
