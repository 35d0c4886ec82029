import { TextDecoder } from 'node:util';
import type { FolderFiles } from '@mustard-sandbox/paths';
import type { Stats } from 'node:fs';

/** A text, with its number of tokens once they have been counted. */
export interface Text {
  text: string;
  tokens?: number;
}

/** A file as it was at one time. */
interface Kept {
  version: string;
  bytes: number;
  content: Text | 'binary';
}

const maxBytes = 64 * 1024 * 1024;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The texts of one app's files. A file is read again when its stats change. */
export class TextCache {
  readonly #files: FolderFiles;
  /** The text that was used last is the last entry. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(files: FolderFiles) {
    this.#files = files;
  }

  /** @returns `undefined` when it can no longer be read */
  get(path: string, stats: Stats): Text | 'binary' | undefined {
    const version = `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
    let entry = this.#kept.get(path);
    if (entry?.version !== version) {
      try {
        // No more than the known size is read, because a file may grow at any time.
        entry = { version, bytes: stats.size, content: contentOf(this.#files.read(path, stats.size, 'context').bytes) };
      } catch {
        return undefined;
      }
    }
    this.#forget(path);
    this.#kept.set(path, entry);
    this.#bytes += entry.bytes;
    return entry.content;
  }

  /** Drops the least recently used texts when there are too many. */
  trim(): void {
    for (const path of this.#kept.keys()) {
      if (this.#bytes <= maxBytes) return;
      this.#forget(path);
    }
  }

  #forget(path: string): void {
    this.#bytes -= this.#kept.get(path)?.bytes ?? 0;
    this.#kept.delete(path);
  }
}

/** Only UTF-8 is text. */
function contentOf(bytes: Buffer): Text | 'binary' {
  if (bytes.includes(0)) return 'binary';
  try {
    return { text: decoder.decode(bytes) };
  } catch {
    return 'binary';
  }
}
