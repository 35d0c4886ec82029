import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SandboxValue } from '@mustard-sandbox/client';

/** What a script gave back, as JSON can say it. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

export interface Output {
  /** The script's value; the beginning of its text when that was too long. */
  value: JsonValue;
  truncated: boolean;
  /** Where the whole text is, when it was cut and there is a folder for it. */
  fullOutputPath?: string;
}

/** What the model gets of a result, in bytes of UTF-8. */
export const maxOutputBytes = 64 * 1024;

/** What a file with a whole result holds at most. */
const maxSpillBytes = 1024 * 1024;

/**
 * A script's value for a model.
 *
 * @param outputDir folder for the whole text of a value that is cut; created when missing
 * @throws errors of the file system, when that folder cannot be written
 */
export async function toOutput(result: SandboxValue, outputDir: string | undefined): Promise<Output> {
  const value = toJsonValue(result);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (Buffer.byteLength(text) <= maxOutputBytes) return { value, truncated: false };
  const output = { value: cutToBytes(text, maxOutputBytes), truncated: true };
  return outputDir === undefined ? output : { ...output, fullOutputPath: await spill(text, outputDir) };
}

/** As many whole characters from the start of `text` as fit into `maxBytes` of UTF-8. */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = new Uint8Array(maxBytes);
  const { written } = new TextEncoder().encodeInto(text, bytes);
  // Not TextDecoder: it would drop a byte order mark.
  return Buffer.from(bytes.buffer, 0, written).toString('utf8');
}

/**
 * JSON would turn what it cannot say into `null`, and a model could not tell a missing number from a
 * missing value. So `undefined`, `NaN` and infinities become their names; `undefined` in an object or an
 * array goes the way of JSON.
 */
function toJsonValue(value: SandboxValue): JsonValue {
  if (value === undefined) return 'undefined';
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Array.from(value, (item) => (item === undefined ? null : toJsonValue(item)));
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, toJsonValue(item)]));
}

async function spill(text: string, outputDir: string): Promise<string> {
  const content = cutToBytes(text, maxSpillBytes);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const folder = resolve(outputDir);
  const path = join(folder, `script-output-${hash}.txt`);
  const partial = `${path}.${randomUUID()}.tmp`;
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(partial, content, { flag: 'wx' });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  return path;
}
