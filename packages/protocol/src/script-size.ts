import { SandboxError } from './errors.ts';
import { limitTable } from './limits.ts';

/**
 * Refuses a script that is too long before it is sent.
 *
 * @throws {SandboxError} `limit_exceeded`
 */
export function assertScriptFits(script: string, scriptBytes: number): void {
  const bytes = Buffer.byteLength(script);
  if (bytes <= scriptBytes) return;
  throw new SandboxError(
    'limit_exceeded',
    `The script is ${bytes} bytes, over the limit of ${scriptBytes} (script_bytes, at most ${limitTable.scriptBytes.ceiling}). ` +
      'Pass data as inputs or read it from a file instead of writing it into the script.',
    { details: { limit: limitTable.scriptBytes.name, value: scriptBytes, unit: 'bytes', actual: bytes } },
  );
}
