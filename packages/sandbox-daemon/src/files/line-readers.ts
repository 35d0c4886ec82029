import { BuiltinCall } from './call.ts';
import type { BuiltinContext } from './context.ts';
import { later } from './later.ts';
import type { KeptReader, LineReader } from './lines.ts';

/**
 * How many loops over lines may be open. The script does not report when it leaves one, so one loop too many closes the
 * oldest, which was nearly always left.
 */
const maxReaders = 32;

/** The open loops, as plain data. */
export interface KeptReaders {
  lastOpened: number;
  open: [id: number, reader: KeptReader][];
}

/** The loops over `lines(path)` of one run. */
export class LineReaders implements Disposable {
  readonly #readers = new Map<number, LineReader>();

  /**
   * The next lines of a loop as whole lines of UTF-8 text, some hundred kilobytes; empty at the end.
   *
   * @param id the script's number for the loop
   * @throws {SandboxError} like `openSource`, and `limit_exceeded` for a line that is too long
   */
  next(context: BuiltinContext, path: unknown, options: unknown, id: number): Buffer {
    if (!Number.isInteger(id)) {
      throw new BuiltinCall('lines', path).invalid(
        'lines: write for (const line of lines(path)), in a scope without another variable named lines',
      );
    }
    const known = this.#readers.get(id);
    if (known === undefined && this.#isClosed(id)) {
      const call = new BuiltinCall('lines', path);
      throw call.failed('InvalidStateError', `more than ${maxReaders} loops over lines are open; end some first.`);
    }
    const reader = known ?? this.#opened(new (later.lines().LineReader)(context, path, options), id);
    const lines = reader.next();
    if (lines.length === 0) this.#close(id);
    return lines;
  }

  /** How many bytes were read ahead. The run that continues reads them again. */
  get unread(): number {
    return [...this.#readers.values()].reduce((sum, { unread }) => sum + unread, 0);
  }

  keep(): KeptReaders {
    return { lastOpened: this.#lastOpened, open: [...this.#readers].map(([id, reader]) => [id, reader.keep()]) };
  }

  /** @throws {SandboxError} `snapshot_refused` for a file that has changed */
  thaw(context: BuiltinContext, { lastOpened, open }: KeptReaders): void {
    for (const [id, kept] of open) this.#opened(later.lines().LineReader.thaw(context, kept), id);
    this.#lastOpened = lastOpened;
  }

  [Symbol.dispose](): void {
    for (const id of this.#readers.keys()) this.#close(id);
  }

  #lastOpened = 0;

  /** Loops are numbered upwards from 1. */
  #isClosed(id: number): boolean {
    return id <= this.#lastOpened;
  }

  #opened(reader: LineReader, id: number): LineReader {
    this.#lastOpened = id;
    this.#readers.set(id, reader);
    const [oldest] = this.#readers.keys() as Iterable<number> as [number];
    if (this.#readers.size > maxReaders) this.#close(oldest);
    return reader;
  }

  #close(id: number): void {
    this.#readers.get(id)?.[Symbol.dispose]();
    this.#readers.delete(id);
  }
}
