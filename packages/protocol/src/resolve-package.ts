import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { devNull } from 'node:os';

/**
 * Where Node finds a package from a file. Not while no file can be opened: a manifest that Node could not open it takes
 * for one that is not there, for as long as the process lives.
 *
 * @throws the error of the system for a shortage (`EMFILE`, with its `syscall`), and that of Node for what is not there
 */
export function resolvePackage(specifier: string, from: string | URL): string {
  closeSync(openSync(devNull, 'r'));
  return createRequire(from).resolve(specifier);
}

/** Whether this kept a package from being looked up: it may be there, and may be found later. */
export function isShortage(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'syscall' in error;
}
