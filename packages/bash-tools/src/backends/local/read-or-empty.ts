import { readFileSync } from 'node:fs';

/** The text of a file of the kernel; empty when it is gone or not readable. */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
