import { createHash, randomUUID } from 'node:crypto';
import { lstat, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes } from '../sizes.ts';
import type { Attachment } from '../attachments/attachment.ts';
import type { MediaFolder } from '../attachments/folder.ts';
import { outputFileOf } from '../attachments/names.ts';
import { headOf } from './cut.ts';

/** The size limit of a file with a whole result, in bytes. */
export const maxSpillBytes = 1024 * 1024;

const spillName = /script-output-[0-9a-f]{16}\.txt/g;

export type Kept = { name: string; path: string; isWhole: boolean } | { problem: string };

/**
 * Results that were too long for the model, as files in the media folder. A file is named after its content, so a chat
 * has equal results once. Later scripts of that chat can read it by its name, in this process or another.
 */
export class Spills {
  readonly #folder: MediaFolder | undefined;
  readonly #chat: string | undefined;
  /** The outputs that this tool wrote. A script that lists the attachments sees them. */
  readonly #own = new Set<string>();

  /** @param folder is created when missing. Without a folder, nothing is kept */
  constructor(folder: MediaFolder | undefined, chat: string | undefined) {
    this.#folder = folder;
    this.#chat = chat;
  }

  /** Keeps the text, or the first MiB of it. Never throws: a full disk must not cost the result. */
  async keep(text: Uint8Array): Promise<Kept> {
    if (this.#folder === undefined) return { problem: 'there is no folder for it' };
    const content = firstMiB(text);
    const name = `script-output-${createHash('sha256').update(content).digest('hex').slice(0, 16)}.txt`;
    const path = join(this.#folder.path, outputFileOf(name, this.#chat));
    const partial = join(this.#folder.path, `${name}.${randomUUID()}.tmp`);
    try {
      await this.#folder.make();
      await writeFile(partial, content, { flag: 'wx', mode: 0o600 });
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true }).catch(() => {});
      return { problem: (error as NodeJS.ErrnoException).code ?? 'an error' };
    }
    this.#own.add(name);
    return { name, path, isWhole: content === text };
  }

  /** What a script may read: all outputs of this tool, and older ones that the script names. Only regular files. */
  async readableBy(script: string): Promise<Attachment[]> {
    const folder = this.#folder;
    if (folder === undefined) return [];
    const names = new Set([...this.#own, ...(script.match(spillName) ?? [])]);
    if (names.size === 0 || !(await folder.exists().catch(() => false))) return [];
    const found = await Promise.all(
      [...names].map(async (name) => {
        const path = join(folder.path, outputFileOf(name, this.#chat));
        // Links are refused, whoever made them. A missing output is a missing attachment.
        const stats = await lstat(path).catch(() => undefined);
        return stats?.isFile() ? [{ name, path, size: stats.size, mediaType: 'text/plain', noLinks: true }] : [];
      }),
    );
    return found.flat();
  }
}

function firstMiB(text: Uint8Array): Uint8Array {
  if (text.length <= maxSpillBytes) return text;
  const note = Buffer.from(`\n[The first ${formatBytes(maxSpillBytes)} of ${formatBytes(text.length)}.]\n`);
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.length);
  return Buffer.concat([headOf(bytes, maxSpillBytes - note.length), note]);
}
