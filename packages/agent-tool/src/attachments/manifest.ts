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

/** The manifest before its last change. It gives the names when the manifest is broken. */
const previousName = 'manifest.previous.json';

const schemaId = 'mustard-sandbox/attachments';

/**
 * The largest manifest, in bytes. It holds some hundred thousand entries. There is a bound because a repository can
 * bring any file under its name.
 */
const maxManifestBytes = 64 * 1024 * 1024;

/** Raised with every change after which an older version would lose something by writing the manifest. */
const version = 2;

const entrySchema = z
  .object({
    /** The logical name, unique in its chat whatever its case. */
    name: z.string().refine(isUsableName),
    originalName: z.string(),
    /** The file in the media folder. Several entries may share it. */
    file: z.string().regex(blobName),
    sha256: z.string(),
    size: z.number().int().nonnegative(),
    mediaType: z.string().regex(mediaTypePattern),
    storedAt: z.iso.datetime(),
    /** Absent for an attachment of no chat. */
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

/** `salvaged`: the well-formed entries of a malformed manifest. */
export type ManifestState =
  | { kind: 'missing' }
  | { kind: 'valid'; entries: readonly ManifestEntry[] }
  | { kind: 'malformed'; salvaged: readonly ManifestEntry[] };

/**
 * Needs no lock, because the manifest is replaced as a whole.
 *
 * @throws {AttachmentError} `newer_version`, `unreadable`
 */
export async function readManifest(folder: string): Promise<ManifestState> {
  return await readState(join(folder, manifestName));
}

/** The entries of the manifest before its last change, as far as they can be read. Never fails. */
export async function readPrevious(folder: string): Promise<readonly ManifestEntry[]> {
  const state = await readState(join(folder, previousName)).catch((): ManifestState => ({ kind: 'missing' }));
  return state.kind === 'valid' ? state.entries : [];
}

/**
 * Call it only within the lock. When it returns, the change is durable, together with files that were put into the
 * folder before.
 *
 * @throws {AttachmentError} `disk_full`, `unwritable`; then the manifest is unchanged
 */
export async function writeManifest(folder: string, entries: readonly ManifestEntry[]): Promise<void> {
  const path = join(folder, manifestName);
  const text = `${JSON.stringify({ schema: schemaId, version, attachments: entries }, null, 2)}\n`;
  if (text.length > maxManifestBytes / 3 && Buffer.byteLength(text) > maxManifestBytes) {
    throw new AttachmentError('unwritable', `There are too many attachments for ${path}. Remove some.`, {
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
    // A link, a folder or a socket under that name counts as malformed content.
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

/** The previous manifest is kept as a second name of the file that is about to be replaced, which costs no write. */
async function keepPrevious(folder: string): Promise<void> {
  const [path, previous] = [join(folder, manifestName), join(folder, previousName)];
  try {
    // It is missing before the first change, and after it was set aside. Then the previous manifest stays unchanged.
    await access(path);
    await rm(previous, { force: true });
    await link(path, previous);
  } catch (error) {
    // exFAT has no links. On a full disk the previous manifest may be lost.
    if (systemCode(error) !== 'ENOENT') await copyFile(path, previous).catch(() => {});
  }
}
