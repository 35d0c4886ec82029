import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { fileAt, parseInput, type DeclaredAttachment } from './attachment-input.ts';
import { badAttachment, readStart, sizeOf, throwIfCancelled } from './content.ts';
import { certainMediaType, signatureBytes } from './media-type.ts';

/** A file or bytes that were found and checked, but not read. */
export interface ResolvedAttachment extends DeclaredAttachment {
  /** The size in bytes. */
  size: number;
}

/**
 * All files of the inputs in their order. Those of a pattern are ordered by their paths, and each path is given once.
 *
 * @throws {SandboxError} `invalid_request` naming what is missing, malformed, not a file, or not of its declared type
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
  // A file may be called `[2024].log`, so an existing file comes before a pattern.
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
    // Links can lead out of the folder and in circles, so they are followed only when they are named themselves.
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

/** The total size in bytes. */
export function totalOf(attachments: readonly ResolvedAttachment[]): number {
  return attachments.reduce((total, { size }) => total + size, 0);
}

/** Whether something is at the path. A link that leads nowhere counts, because it deserves its own error. */
async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}
