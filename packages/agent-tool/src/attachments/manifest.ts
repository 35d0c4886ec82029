import { constants } from 'node:fs';
import { access, copyFile, link, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { StoredAttachment } from './attachment.ts';
import { AttachmentError, readingError, systemCode } from './errors.ts';
import { blobName, syncFolder, writeAtomically } from './folder.ts';
import { mediaTypePattern } from './media-type.ts';
import { isUsableName, keyOf } from './names.ts';

export const manifestName = 'manifest.json';

/** The manifest before its last change: what names are taken from when the manifest is broken. */
const previousName = 'manifest.previous.json';

const schemaId = 'mustard-sandbox/attachments';

/**
 * What a manifest takes at most, in bytes: some hundred thousand entries. A repository can bring any file by its name.
 */
const maxManifestBytes = 64 * 1024 * 1024;

/** Raised with every change after which an older version would lose something by writing the manifest. */
const version = 2;

const entrySchema = z
  .object({
    /** Logical; in one chat unique in any case. */
    name: z.string().refine(isUsableName),
    originalName: z.string(),
    /** In the media folder. Several entries may share it. */
    file: z.string().regex(blobName),
    sha256: z.string(),
    size: z.number().int().nonnegative(),
    mediaType: z.string().regex(mediaTypePattern),
    storedAt: z.iso.datetime(),
    /** Absent: of no chat. */
    chat: z.string().optional(),
  })
  .refine(({ file, sha256 }) => blobName.exec(file)?.[1] === sha256);

/** One attachment in the manifest. */
export type ManifestEntry = Readonly<z.infer<typeof entrySchema>>;

const manifestSchema = z.object({
  schema: z.literal(schemaId),
  version: z.literal(version),
  attachments: z.array(entrySchema).refine(haveUniqueNames),
});

/** `salvaged`: the entries of a malformed one that are well-formed themselves. */
export type ManifestState =
  | { kind: 'missing' }
  | { kind: 'valid'; entries: readonly ManifestEntry[] }
  | { kind: 'malformed'; salvaged: readonly ManifestEntry[] };

/**
 * Safe without the lock: the manifest is replaced whole.
 *
 * @throws {AttachmentError} `newer_version`, `unreadable`
 */
export async function readManifest(folder: string): Promise<ManifestState> {
  return await readState(join(folder, manifestName));
}

/** What the manifest said before its last change, as far as it can be told; never fails. */
export async function readPrevious(folder: string): Promise<readonly ManifestEntry[]> {
  const state = await readState(join(folder, previousName)).catch((): ManifestState => ({ kind: 'missing' }));
  return state.kind === 'valid' ? state.entries : [];
}

/**
 * Only within the lock. Durable when it returns, together with files that were put into the folder before.
 *
 * @throws {AttachmentError} `disk_full`, `unwritable`; then the manifest is as it was
 */
export async function writeManifest(folder: string, entries: readonly ManifestEntry[]): Promise<void> {
  const path = join(folder, manifestName);
  const text = `${JSON.stringify({ schema: schemaId, version, attachments: entries }, null, 2)}\n`;
  if (text.length > maxManifestBytes / 3 && Buffer.byteLength(text) > maxManifestBytes) {
    throw new AttachmentError('unwritable', `There are too many attachments for ${path}: remove some.`, {
      details: { path, attachments: entries.length },
    });
  }
  await keepPrevious(folder);
  await writeAtomically(path, text, 0o600);
  await syncFolder(folder);
}

export function toStored(folder: string, { file, ...entry }: ManifestEntry): StoredAttachment {
  return { kind: 'file', ...entry, path: join(folder, file) };
}

async function readState(path: string): Promise<ManifestState> {
  let text: string;
  try {
    const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      const { size } = await file.stat();
      if (size > maxManifestBytes) return { kind: 'malformed', salvaged: [] };
      text = await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return { kind: 'missing' };
    // A link, a folder or a socket by that name is as malformed as wrong content.
    if (code === 'ELOOP' || code === 'EISDIR' || code === 'ENXIO') return { kind: 'malformed', salvaged: [] };
    throw readingError(error, path);
  }
  return parseManifest(text, path);
}

function parseManifest(text: string, path: string): ManifestState {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'malformed', salvaged: [] };
  }
  const result = manifestSchema.safeParse(value);
  if (result.success) return { kind: 'valid', entries: result.data.attachments };
  const found = z
    .object({ schema: z.unknown(), version: z.unknown(), attachments: z.unknown() })
    .partial()
    .safeParse(value);
  const { schema, version: written, attachments } = found.success ? found.data : {};
  if (schema === schemaId && typeof written === 'number' && written > version) {
    throw new AttachmentError(
      'newer_version',
      `${path} was written by a newer version of this software (${written}, this one knows ${version}): update it, or set the file aside.`,
      { details: { path, version: written, knownVersion: version } },
    );
  }
  return { kind: 'malformed', salvaged: Array.isArray(attachments) ? attachments.flatMap(salvage) : [] };
}

function salvage(value: unknown): ManifestEntry[] {
  const result = entrySchema.safeParse(value);
  return result.success ? [result.data] : [];
}

function haveUniqueNames(entries: readonly { name: string; chat?: string | undefined }[]): boolean {
  return new Set(entries.map(keyOf)).size === entries.length;
}

/** A second name for the file that is about to be replaced costs no write. */
async function keepPrevious(folder: string): Promise<void> {
  const [path, previous] = [join(folder, manifestName), join(folder, previousName)];
  try {
    // Missing before the first change, and when it was just set aside. Then the previous manifest stays as it is.
    await access(path);
    await rm(previous, { force: true });
    await link(path, previous);
  } catch (error) {
    // exFAT has no links; a full disk need not keep it.
    if (systemCode(error) !== 'ENOENT') await copyFile(path, previous).catch(() => {});
  }
}
