import { performance } from 'node:perf_hooks';
import { SandboxError, type ErrorDetails } from '../protocol/errors.ts';
import { builtinCallTimeoutMs, type LimitName } from '../protocol/limits.ts';
import { quote } from '../protocol/text.ts';
import { attachmentPrefix } from './path-policy.ts';

/**
 * One call of a built-in, or of a tool that reads or writes files of one folder: its clock and its possible errors. An error names the path as the script wrote it, and never a
 * path of the host.
 */
export class BuiltinCall {
  readonly name: string;
  /** The path as the script wrote it, quoted for messages. */
  readonly shown: string;
  readonly #details: ErrorDetails;
  readonly #startedAt = performance.now();

  constructor(name: string, path: unknown) {
    this.name = name;
    this.shown = typeof path === 'string' ? quote(path) : 'this path';
    this.#details = { capability: name, ...(typeof path === 'string' ? { path: path.slice(0, 4096) } : {}) };
  }

  /** The path that the script wrote, if it wrote one. */
  get path(): string {
    return this.#details.path ?? '';
  }

  /** @param why completes the sentence "<path> is refused: …" */
  denied(why: string): SandboxError {
    return new SandboxError('capability_denied', `${this.name}: ${this.shown} is refused: ${why}.`, {
      details: this.#details,
    });
  }

  /** What is refused is no path. @param why completes the sentence "<built-in>: …" */
  refused(why: string): SandboxError {
    return new SandboxError('capability_denied', `${this.name}: ${why}`, { details: this.#details });
  }

  /** One message for every bad target of a link, so that a script cannot find out what exists outside the root. */
  deniedLink(): SandboxError {
    return this.denied('it leads through a link to something outside the root, denied, or missing');
  }

  /** The call was valid but the file system failed. The script sees `name` as `error.name`. */
  failed(name: string, why: string): SandboxError {
    return new SandboxError('script_error', `${this.name}: ${why}`, { details: { ...this.#details, name } });
  }

  notFound(): SandboxError {
    if (this.#details.path?.startsWith(attachmentPrefix)) {
      const hint = `list_files("${attachmentPrefix}") lists all attachments.`;
      return this.failed('NotFoundError', `No attachment ${this.shown}. ${hint}`);
    }
    const what = this.name === 'list_files' ? 'folder' : 'file';
    return this.failed('NotFoundError', `No ${what} ${this.shown} in the root. list_files() shows what is there.`);
  }

  invalid(why: string, details: ErrorDetails = {}): SandboxError {
    return new SandboxError('invalid_request', why, { details: { ...details, ...this.#details } });
  }

  /** @param actual how many it would have been */
  limitExceeded(
    limit: LimitName,
    value: number,
    actual: number,
    why: string,
    unit: 'bytes' | 'items' = 'bytes',
  ): SandboxError {
    return new SandboxError('limit_exceeded', `${this.name}: ${why}`, {
      details: { ...this.#details, limit, value, unit, actual },
    });
  }

  /** @throws {SandboxError} `capability_timeout` once the call has taken `builtinCallTimeoutMs` */
  checkTime(): void {
    if (performance.now() - this.#startedAt <= builtinCallTimeoutMs) return;
    throw new SandboxError(
      'capability_timeout',
      `${this.name}: ${this.shown} took longer than ${builtinCallTimeoutMs} ms. Ask for less at a time.`,
      { details: { ...this.#details, limit: 'capability_ms', value: builtinCallTimeoutMs, unit: 'ms' } },
    );
  }

  /**
   * Runs the call's body. Anything but a `SandboxError` that it throws comes from the file system, and
   * its message and stack hold host paths: only its code is passed on.
   */
  run<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      throw error instanceof SandboxError ? error : this.systemError(error);
    }
  }

  /** The same for a body that gives a promise. */
  async runAsync<T>(body: () => Promise<T>): Promise<T> {
    try {
      return await body();
    } catch (error) {
      throw error instanceof SandboxError ? error : this.systemError(error);
    }
  }

  systemError(error: unknown): SandboxError {
    const code = (error as NodeJS.ErrnoException | null)?.code ?? 'unknown error';
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code)) return this.notFound();
    if (code === 'ELOOP') return this.deniedLink();
    if (code === 'EACCES' || code === 'EPERM') {
      return this.failed('NotReadableError', `${this.shown} cannot be read: its permissions do not allow it.`);
    }
    return this.failed('NotReadableError', `${this.shown} cannot be read (${code.slice(0, 40)}).`);
  }
}
