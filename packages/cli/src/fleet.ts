import { readFileSync } from 'node:fs';
import type { KeyedTenant } from '@mustard-sandbox/fleet';
import { UsageError } from './failure.ts';

/** Where the queue of a fleet is. The variable can hold a password, which a command line would show to all users. */
export function queueOf(url: string | undefined, option: string): string {
  const queue = url ?? process.env['MUSTARD_SANDBOX_QUEUE'];
  if (queue !== undefined) return queue;
  throw new UsageError(`${option} URL says where the queue is; the variable MUSTARD_SANDBOX_QUEUE can, too.`);
}

/** The tenants of a file of keys. @throws {UsageError | SandboxError} */
export async function readTenants(file: string, option: string): Promise<KeyedTenant[]> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${option}: '${file}' cannot be read: ${(error as Error).message}.`);
  }
  const { readKeyLines } = await import('@mustard-sandbox/fleet');
  return readKeyLines(text, option);
}
