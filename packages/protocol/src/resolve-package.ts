import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { devNull } from 'node:os';

/**
 * Where Node finds a package from a file. It must not be called while the process can open no file: Node takes a
 * manifest that it could not open for a missing one, and remembers that as long as the process lives.
 *
 * @throws the error of the system for a shortage (`EMFILE`, with its `syscall`), and the error of Node for a package
 * that is missing
 */
export function resolvePackage(specifier: string, from: string | URL): string {
  closeSync(openSync(devNull, 'r'));
  return createRequire(from).resolve(specifier);
}

/**
 * Whether this error kept a package from being looked up. Then the package may be there, and a later attempt may find
 * it.
 */
export function isShortage(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'syscall' in error;
}
