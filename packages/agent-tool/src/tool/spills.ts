import { createHash, randomUUID } from 'node:crypto';
import { lstat, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes } from '../sizes.ts';
import type { Attachment } from '../attachments/attachment.ts';
import type { MediaFolder } from '../attachments/folder.ts';
import { outputFileOf } from '../attachments/names.ts';
import { headOf } from './cut.ts';

/** What a file with a whole result holds at most. */
export const maxSpillBytes = 1024 * 1024;

const spillName = /script-output-[0-9a-f]{16}\.txt/g;

export type Kept = { name: string; path: string; isWhole: boolean } | { problem: string };

/**
 * Results that were too long for the model, as files in the media folder. Named by their contents, so the same
 * result is there once in a chat, and any later script of that chat that names one can read it, in this process or
 * another.
 */
export class Spills {
  readonly #folder: MediaFolder | undefined;
  readonly #chat: string | undefined;
  /** Those of this tool's life; a listing of the attachments shows them. */
  readonly #own = new Set<string>();

  /** @param folder created when missing; none: nothing is kept */
  constructor(folder: MediaFolder | undefined, chat: string | undefined) {
    this.#folder = folder;
    this.#chat = chat;
  }

  /** Keeps the text, or the first MiB of it. Never throws: a full disk must not cost the result. */
  async keep(text: Buffer): Promise<Kept> {
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

  /** What a script may read of it: all from this tool's life, and older ones that it names. Only regular files. */
  async readableBy(script: string): Promise<Attachment[]> {
    const folder = this.#folder;
    if (folder === undefined) return [];
    const names = new Set([...this.#own, ...(script.match(spillName) ?? [])]);
    if (names.size === 0 || !(await folder.exists().catch(() => false))) return [];
    const found = await Promise.all(
      [...names].map(async (name) => {
        const path = join(folder.path, outputFileOf(name, this.#chat));
        // Not through a link, wherever that came from. One that is gone is an attachment that is not there.
        const stats = await lstat(path).catch(() => undefined);
        return stats?.isFile() ? [{ name, path, size: stats.size, mediaType: 'text/plain', noLinks: true }] : [];
      }),
    );
    return found.flat();
  }
}

function firstMiB(text: Buffer): Buffer {
  if (text.length <= maxSpillBytes) return text;
  const note = Buffer.from(`\n[The first ${formatBytes(maxSpillBytes)} of ${formatBytes(text.length)}.]\n`);
  return Buffer.concat([headOf(text, maxSpillBytes - note.length), note]);
}
