import { lstat } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { parseInput, type ParsedInput } from './attachment-input.ts';
import { badAttachment, readStart, sizeOf, throwIfCancelled, type Content } from './content.ts';
import { certainMediaType, signatureBytes } from './media-type.ts';

/** A file that was found and looked at, but not read. */
export interface ResolvedAttachment {
  /** The host's; else the path as seen from the working directory, or its last part when it is not below that. */
  name: string;
  content: Content;
  /** Bytes. */
  size: number;
  /** `undefined` while only the whole content can tell. */
  mediaType: string | undefined;
  source: AttachmentOrigin;
}

/** What the host wrote: one object for all the files that a pattern found. */
interface AttachmentOrigin {
  text: string;
  isPattern: boolean;
}

/** Not looked at yet. */
type Found = Omit<ResolvedAttachment, 'size'>;

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
  const parsed = inputs.map(parseInput);
  const resolved: ResolvedAttachment[] = [];
  const seen = new Set<string>();
  for (const input of parsed) {
    for (const found of await find(input, cwd, signal)) {
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

async function find(input: ParsedInput, cwd: string, signal: AbortSignal | undefined): Promise<Found[]> {
  if (input.kind === 'content') return [literal(input, cwd)];
  const { text } = input;
  const path = resolve(cwd, text);
  // A file may be called `[2024].log`: what is there goes before what could match.
  const isPattern = isDynamicPattern(text) && !(await exists(path));
  const source = { text, isPattern };
  const paths = isPattern ? await matches(text, cwd, signal) : [path];
  return paths.map((path) => ({ content: { path }, name: nameOf(path, cwd), mediaType: undefined, source }));
}

function literal({ content, name, mediaType }: ParsedInput & { kind: 'content' }, cwd: string): Found {
  if (!('path' in content)) {
    const given = name as string;
    return { content, name: given, mediaType, source: { text: given, isPattern: false } };
  }
  const path = resolve(cwd, content.path);
  const source = { text: content.path, isPattern: false };
  return { content: { path }, name: name ?? nameOf(path, cwd), mediaType, source };
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

async function lookAt({ name, content, mediaType, source }: Found): Promise<ResolvedAttachment> {
  const size = await sizeOf(name, content);
  const { bytes } = await readStart(name, content, signatureBytes);
  return { name, content, size, mediaType: certainMediaType(name, mediaType, bytes), source };
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

function nameOf(path: string, cwd: string): string {
  const below = relative(cwd, path);
  const isBelow = below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
  return isBelow ? below.replaceAll(sep, '/') : basename(path);
}
