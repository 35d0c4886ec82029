import { quote, SandboxError, type ErrorDetails } from '@mustard-sandbox/protocol';
import { attachmentPrefix, outputPrefix } from './path-policy.ts';

/**
 * One call of a built-in, or of a tool of the host, that names a path, and the errors that it may end with. An error
 * names the path as it was written, and never a path of the host.
 */
export class PathCall {
  /** The name of the built-in or the tool. */
  readonly name: string;
  /** The path as it was written, quoted for messages. */
  readonly shown: string;
  /** Details that every error of this call carries. */
  protected readonly details: ErrorDetails;

  constructor(name: string, path: unknown) {
    this.name = name;
    this.shown = typeof path === 'string' ? quote(path) : 'this path';
    this.details = { capability: name, ...(typeof path === 'string' ? { path: path.slice(0, 4096) } : {}) };
  }

  /** The path that was written. Empty if it was not a string. */
  get path(): string {
    return this.details.path ?? '';
  }

  /** @param why completes the sentence "<path> is refused: …" */
  denied(why: string): SandboxError {
    return new SandboxError('capability_denied', `${this.name}: ${this.shown} is refused: ${why}.`, {
      details: this.details,
    });
  }

  /** One message for every bad target of a link, so that a script cannot find out what exists outside the root. */
  deniedLink(): SandboxError {
    return this.denied('it leads through a link to something outside the root, denied, or missing');
  }

  /** The error for a call that was valid but failed in the file system. The script sees `name` as `error.name`. */
  failed(name: string, why: string): SandboxError {
    return new SandboxError('script_error', `${this.name}: ${why}`, { details: { ...this.details, name } });
  }

  notFound(): SandboxError {
    if (this.details.path?.startsWith(attachmentPrefix)) {
      const hint = `list_files("${attachmentPrefix}") lists all attachments.`;
      return this.failed('NotFoundError', `No attachment ${this.shown}. ${hint}`);
    }
    if (this.details.path?.startsWith(outputPrefix)) {
      const hint = `list_files("${outputPrefix}") lists what earlier scripts have saved. What this script saves, the next one can read.`;
      return this.failed('NotFoundError', `No output ${this.shown}. ${hint}`);
    }
    const what = this.name === 'list_files' ? 'folder' : 'file';
    return this.failed('NotFoundError', `No ${what} ${this.shown} in the root. list_files() shows what is there.`);
  }

  /**
   * Runs the body of the call. Any error but a `SandboxError` comes from the file system, and its message and stack
   * hold paths of the host, so only its code is passed on.
   */
  run<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      throw error instanceof SandboxError ? error : this.systemError(error);
    }
  }

  /** The error for the caller of the built-in or tool, in place of a raw error of the file system. */
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
