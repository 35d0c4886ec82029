import { randomUUID } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { formatOfOutput, problemOfOutputName, startOfOutput, type OutputFormat } from '@mustard-sandbox/paths';
import { messageOf, quote, SandboxError, type SandboxValue } from '@mustard-sandbox/protocol';
import { writeWhole, type OutputFolder } from './folder.ts';
import type { OutputLimits } from './options.ts';

/** A file that a script has saved. */
export interface SavedOutput {
  /** The name by which a later script of the same sandbox reads it, as `outputs:<name>`. */
  name: string;
  /** In bytes. */
  size: number;
  /** The first lines, for a model or a person; empty where it is no text. */
  head: string;
  /** For the host. Do not show it to the model. */
  path: string;
}

/** A file whose last part has not arrived. Until then it has a name that no script can read. */
interface Part {
  name: string;
  path: string;
  fd: number;
  size: number;
  head: string;
}

const maxHead = 300;
const maxHeadLines = 4;

/**
 * The files that one run saves. The sidecar sends names and texts, and a script may have taken it over, so this checks
 * the name, the bytes and the number of files.
 */
export class RunOutputs implements Disposable {
  readonly #folder: OutputFolder;
  readonly #limits: OutputLimits;
  /** The saved files, by the name that the script gave. */
  readonly #saved = new Map<string, SavedOutput>();
  #bytes = 0;
  #part: Part | undefined;

  constructor(folder: OutputFolder, limits: OutputLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /** The saved files, in order. */
  get saved(): SavedOutput[] {
    return [...this.#saved.values()];
  }

  /**
   * The host function behind `save`. It takes one part of a file, and with the last part the file gets its name.
   *
   * @throws {SandboxError} `invalid_request`, `limit_exceeded`, `script_error` for an error of the system
   */
  take(...[name, text, options]: SandboxValue[]): SandboxValue {
    const { append, encoding, isLast } = (options ?? {}) as Record<string, unknown>;
    if (typeof name !== 'string' || typeof text !== 'string') throw invalid('A name and a text are needed.');
    const problem = problemOfOutputName(name);
    if (problem !== undefined) throw invalid(`${quote(name)} is not a valid name for a file: ${problem}.`);
    try {
      this.#write(name, this.#bytesOf(name, text, encoding));
      return isLast === true ? this.#finish(name, append === true) : null;
    } catch (error) {
      this.#discard();
      if (error instanceof SandboxError) throw error;
      const code = (error as NodeJS.ErrnoException).code ?? messageOf(error);
      throw new SandboxError('script_error', `save: ${quote(name)} could not be written (${code}).`);
    }
  }

  [Symbol.dispose](): void {
    this.#discard();
  }

  /** A file that is no text begins as its format does. Of any other the bytes are those of a text. */
  #bytesOf(name: string, text: string, encoding: unknown): Buffer {
    const start = startOfOutput(formatOfOutput(name) as OutputFormat);
    if ((start === undefined) === (encoding === 'base64')) throw invalid(`${quote(name)} has another content.`);
    if (start === undefined) return Buffer.from(text);
    const bytes = Buffer.from(text, 'base64');
    const isNew = this.#part === undefined;
    if (isNew && bytes.toString('latin1', 0, start.length) !== start)
      throw invalid(`${quote(name)} has another content.`);
    return bytes;
  }

  #write(name: string, bytes: Uint8Array): void {
    if (this.#part !== undefined && this.#part.name !== name) throw invalid('Another file is not complete.');
    if (this.#part === undefined && !this.#saved.has(name)) this.#assertRoomForFile();
    this.#bytes += bytes.length;
    const { maxBytes } = this.#limits;
    if (this.#bytes > maxBytes) {
      throw new SandboxError(
        'limit_exceeded',
        `save: the files of this run have more than ${maxBytes} bytes. Save less: the columns and rows that matter.`,
        { details: { value: maxBytes, unit: 'bytes', actual: this.#bytes } },
      );
    }
    const part = (this.#part ??= this.#begin(name));
    writeWhole(part.fd, bytes);
    part.size += bytes.length;
    if (part.head.length < maxHead && startOfOutput(formatOfOutput(name) as OutputFormat) === undefined)
      part.head += Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4 * maxHead)).toString();
  }

  #assertRoomForFile(): void {
    const { maxFiles } = this.#limits;
    if (this.#saved.size < maxFiles) return;
    throw new SandboxError(
      'limit_exceeded',
      `save: this run has saved ${maxFiles} files, and may save no more. Put more rows into one file.`,
      { details: { value: maxFiles, unit: 'items', actual: maxFiles + 1 } },
    );
  }

  #begin(name: string): Part {
    this.#folder.make();
    const path = join(this.#folder.path, `.${randomUUID()}.part`);
    return { name, path, fd: openSync(path, 'wx'), size: 0, head: '' };
  }

  #finish(asked: string, append: boolean): SandboxValue {
    const part = this.#part as Part;
    closeSync(part.fd);
    part.fd = -1;
    const before = this.#saved.get(asked);
    let { size } = part;
    let head = headOf(part.head);
    let name = before?.name ?? asked;
    if (before !== undefined && append && this.#folder.append(part.path, before.name)) {
      size += before.size;
      head = before.head;
      rmSync(part.path, { force: true });
    } else if (before === undefined || append || !this.#folder.replace(part.path, before.name)) {
      name = this.#folder.place(part.path, asked);
    }
    this.#part = undefined;
    this.#saved.set(asked, { name, size, head, path: join(this.#folder.path, name) });
    return { name, size };
  }

  #discard(): void {
    const part = this.#part;
    this.#part = undefined;
    if (part === undefined) return;
    if (part.fd !== -1) closeSync(part.fd);
    rmSync(part.path, { force: true });
  }
}

/**
 * Runs a script and adds the files that it saved to its result. If the run fails after it saved some, they are in its
 * error.
 */
export async function keepingOutputs<R extends { outputs?: SavedOutput[] | undefined }>(
  outputs: RunOutputs,
  run: () => Promise<R>,
): Promise<R> {
  try {
    const result = await run();
    if (outputs.saved.length > 0) result.outputs = outputs.saved;
    return result;
  } catch (error) {
    if (error instanceof SandboxError && outputs.saved.length > 0) error.details['outputs'] = outputs.saved;
    throw error;
  } finally {
    outputs[Symbol.dispose]();
  }
}

function headOf(text: string): string {
  const lines = text.split('\n').slice(0, maxHeadLines).join('\n').trimEnd();
  // A cut must not leave half of a surrogate pair.
  return lines.length <= maxHead ? lines : `${lines.slice(0, maxHead).replace(/[\ud800-\udbff]$/, '')}…`;
}

function invalid(why: string): SandboxError {
  return new SandboxError('invalid_request', `save: ${why}`);
}
