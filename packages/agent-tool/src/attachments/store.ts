import { join } from 'node:path';
import { invalidRequest } from '@mustard-sandbox/protocol';
import * as z from 'zod';
import { emit, type AgentEventListener } from '../events.ts';
import { parse } from '../options.ts';
import {
  checkSource,
  checkWish,
  cleanupOptionsSchema,
  constructorOptionsSchema,
  storeOptionsSchema,
  type AttachmentStoreOptions,
  type StoreOptions,
  type Wish,
} from './arguments.ts';
import { attachmentPrefix, type AttachmentSource, type ScriptOutput, type StoredAttachment } from './attachment.ts';
import { Catalog, type Update } from './catalog.ts';
import { takeOver } from './chunks.ts';
import { cleanup, prune, removeEntries, removeFile, type CleanupOptions, type Removed } from './cleanup.ts';
import { copy, type Copied, type StoreSource } from './copy.ts';
import { AttachmentError, throwIfAborted, writingError } from './errors.ts';
import { discard, MediaFolder, moveOver, newPartialName, sizeOfFile } from './folder.ts';
import { ensureGitignored, type GitignoreResult } from './gitignore.ts';
import { toStored, type ManifestEntry } from './manifest.ts';
import { guessMediaType, isText } from './media-type.ts';
import {
  baseName,
  fileExtension,
  isScriptOutputName,
  nameKey,
  nameOfReference,
  outputFileOf,
  uniqueName,
} from './names.ts';
import { findOutput, listOutputs } from './script-outputs.ts';

/**
 * Files of the user, kept on disk for scripts to read as `attachments:<name>`.
 *
 * With the option `chat`, a store sees the attachments of that chat only. To give one to another chat, store its path
 * there: `await other.store(file.path, file.originalName)`. That takes no more room on disk.
 *
 * Any number of processes and chats may use the same folder at once, and any of them may be killed at any moment. When
 * `store` has returned, the file is stored completely and durably. Equal content is on disk once, whatever its names.
 *
 * @throws {AttachmentError} from every method that touches the disk; see `AttachmentErrorCode`
 * @throws {SandboxError} `invalid_request` for arguments that cannot be used, also from the constructor
 */
export class AttachmentStore implements AttachmentSource {
  /** The chat of these attachments; `undefined` for attachments of no chat. */
  readonly chat: string | undefined;
  readonly #folder: MediaFolder;
  readonly #catalog: Catalog;
  readonly #events: AgentEventListener | undefined;

  /** Touches no file. @param appPath folder of the app or project; relative to the working directory */
  constructor(appPath: string, options: AttachmentStoreOptions = {}) {
    const where = 'new AttachmentStore()';
    const { mediaDir, chat, events, lockWaitMs } = parse(constructorOptionsSchema, options, where);
    this.#folder = new MediaFolder(parse(z.string().min(1, 'appPath is empty'), appPath, where), mediaDir);
    this.chat = chat;
    this.#events = events;
    this.#catalog = new Catalog(this.#folder, lockWaitMs, (facts) => emit(events, facts));
  }

  /** The folder of the app or project, absolute. */
  get appPath(): string {
    return this.#folder.app;
  }

  /** The media folder, absolute. It is made with the first file. */
  get directory(): string {
    return this.#folder.path;
  }

  /**
   * Takes in a file of any size and kind. It reads the file once, with constant memory.
   *
   * The same content under the same original name is the same attachment and keeps its name. Under another original
   * name it gets that name too, without a second copy on disk. Of a file that is being appended to, it stores the
   * length that the file had when it was opened.
   *
   * @param source a path, or the bytes: a `Readable`, a web stream, any async iterable of `Uint8Array`
   * @param originalName the user's name for it; a path is cut to its last part
   * @param mediaType guessed from content and name when absent or empty
   * @param options `signal` ends it with nothing left behind; `onProgress` is called with the bytes that are copied so
   * far
   */
  async store(
    source: StoreSource,
    originalName: string,
    mediaType?: string,
    options: StoreOptions = {},
  ): Promise<StoredAttachment> {
    const { signal, onProgress } = parse(storeOptionsSchema, options, 'store()');
    checkSource(source);
    const wish = checkWish(originalName, mediaType);
    const close = takeOver(source);
    const partial = join(this.directory, newPartialName());
    try {
      throwIfAborted(signal);
      await this.#folder.make();
      const copied = await copy(source, partial, { signal, onProgress });
      const { entry, deduplicated } = await this.#catalog.update(signal, (update) =>
        this.#adopt(update, partial, copied, wish),
      );
      const { name, size } = entry;
      emit(this.#events, {
        type: 'attachment.stored',
        name,
        size,
        mediaType: entry.mediaType,
        deduplicated,
      });
      return toStored(this.directory, entry);
    } finally {
      close();
      await discard(partial);
    }
  }

  /**
   * What scripts of this chat can read: stored files in the order of storing, then script outputs. Files that are no
   * longer on disk are left out.
   */
  async list(): Promise<(StoredAttachment | ScriptOutput)[]> {
    const entries = (await this.#catalog.read()).filter((entry) => this.#isOwn(entry));
    const there = await Promise.all(entries.map((entry) => this.#isThere(entry)));
    const stored = entries.filter((_, index) => there[index]).map((entry) => toStored(this.directory, entry));
    return [...stored, ...(await listOutputs(this.directory, this.chat))];
  }

  /**
   * The attachment that `attachments:<name>` stands for.
   *
   * @throws {AttachmentError} `not_found`, also for a file that was replaced by a link or changed in length
   */
  async resolve(reference: string): Promise<StoredAttachment | ScriptOutput> {
    const name = typeof reference === 'string' ? nameOfReference(reference) : undefined;
    if (name === undefined) {
      throw invalidRequest(
        `resolve(): ${JSON.stringify(reference)} is not a reference; write ${attachmentPrefix}<name>`,
      );
    }
    // This comes first, because it also checks that the folder is within the app.
    const entries = (await this.#catalog.read()).filter((entry) => this.#isOwn(entry));
    const output = isScriptOutputName(name) ? await findOutput(this.directory, name, this.chat) : undefined;
    if (output !== undefined) return output;
    const entry = entries.find((candidate) => candidate.name === name);
    if (entry !== undefined && (await this.#isThere(entry))) return toStored(this.directory, entry);
    const why =
      entry === undefined
        ? 'there is none with this name'
        : 'its file is gone from the media folder or was changed there; store it again';
    throw new AttachmentError('not_found', `${JSON.stringify(attachmentPrefix + name)}: ${why}.`, {
      details: { name, attachments: entries.length },
    });
  }

  /**
   * Removes an attachment or a script output of its chat, whose name is then free. A message that still names it finds
   * nothing, or the file that gets this name next.
   *
   * @param name with or without `attachments:`
   * @returns whether it was there
   */
  async remove(name: string): Promise<boolean> {
    if (typeof name !== 'string') throw invalidRequest('remove(): the name must be a string');
    const wanted = nameOfReference(name) ?? name.normalize('NFC');
    const removed = nothing();
    if (!(await this.#folder.exists())) return false;
    await this.#catalog.update(undefined, async (update) => {
      const isWanted = (entry: ManifestEntry): boolean => this.#isOwn(entry) && entry.name === wanted;
      await removeEntries(this.directory, update, isWanted, removed);
      if (!isScriptOutputName(wanted)) return;
      await removeFile(join(this.directory, outputFileOf(wanted, this.chat)), removed);
    });
    return removed.names.length + removed.files > 0;
  }

  /**
   * Removes files that no attachment needs: files without a name, and files that killed processes left half written.
   */
  async prune(): Promise<Removed> {
    const removed = nothing();
    if (!(await this.#folder.exists())) return removed;
    await this.#catalog.update(undefined, (update) => prune(this.directory, update, removed));
    return removed;
  }

  /**
   * Removes attachments and script outputs that are old and not named in `keep`, and then prunes. With a `chat` it
   * removes only those of the chat. Without one it removes those of every chat, and a name in `keep` then keeps them in
   * all chats.
   */
  async cleanup(options: CleanupOptions): Promise<Removed> {
    const parsed = parse(cleanupOptionsSchema, options, 'cleanup()') as CleanupOptions;
    if (!(await this.#folder.exists())) return nothing();
    return await cleanup(this.directory, this.#catalog, this.chat, parsed);
  }

  /**
   * If the app is in a git work tree, adds the media folder to the app's `.gitignore`, unless a `.gitignore` there or
   * above mentions it already. It does not run git.
   */
  async ensureGitignored(): Promise<GitignoreResult> {
    return await ensureGitignored(this.#folder);
  }

  /** Makes the copy an attachment. Call it only within the lock. */
  async #adopt(
    { entries, save }: Update,
    partial: string,
    { sha256, size, head }: Copied,
    { originalName, mediaType }: Wish,
  ): Promise<{ entry: ManifestEntry; deduplicated: boolean }> {
    const base = baseName(originalName);
    const whole = size <= head.length;
    const sameContent = entries.filter((entry) => entry.sha256 === sha256);
    const own = entries.filter((entry) => this.#isOwn(entry));
    const same = sameContent.find(
      (entry) => this.#isOwn(entry) && nameKey(baseName(entry.originalName)) === nameKey(base),
    );
    const extension = fileExtension(base) ?? (isText(head, whole) ? 'txt' : 'bin');
    const file = same?.file ?? sameContent[0]?.file ?? `${sha256}.${extension}`;
    const deduplicated = await this.#isThere({ file, size });
    const entry: ManifestEntry = {
      name: same?.name ?? uniqueName(base, new Set(own.map(({ name }) => nameKey(name)))),
      originalName: same?.originalName ?? originalName,
      file,
      sha256,
      size,
      mediaType: mediaType ?? same?.mediaType ?? (await guessMediaType(base, head, whole)),
      storedAt: new Date().toISOString(),
      ...(this.chat !== undefined && { chat: this.chat }),
    };
    const path = join(this.directory, file);
    try {
      // This replaces a file of that name, because nobody has checked its content.
      await moveOver(partial, path);
      await save(same === undefined ? [...entries, entry] : entries.map((other) => (other === same ? entry : other)));
    } catch (error) {
      // No caller knows of the file, and it may be what filled the disk.
      if (sameContent.length === 0 && !deduplicated) await discard(path);
      throw writingError(error, path);
    }
    return { entry, deduplicated };
  }

  #isOwn({ chat }: ManifestEntry): boolean {
    return chat === this.chat;
  }

  async #isThere({ file, size }: { file: string; size: number }): Promise<boolean> {
    return (await sizeOfFile(join(this.directory, file))) === size;
  }
}

function nothing(): Removed {
  return { names: [], files: 0, bytes: 0 };
}
