import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScriptOutput } from './attachment.ts';
import { isScriptOutputName } from './names.ts';
import { namesIn } from './rebuild.ts';

/** The files that the tool put into the media folder itself. No manifest has them: their names say it all. */
export async function listOutputs(folder: string): Promise<ScriptOutput[]> {
  const names = (await namesIn(folder)).filter(isScriptOutputName).sort();
  const found = await Promise.all(names.map((name) => findOutput(folder, name)));
  return found.filter((output) => output !== undefined);
}

/** `undefined` when it is not there, or is a link. */
export async function findOutput(folder: string, name: string): Promise<ScriptOutput | undefined> {
  const path = join(folder, name);
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  const { size, mtime } = stats;
  return { kind: 'script-output', name, path, size, mediaType: 'text/plain', storedAt: mtime.toISOString() };
}
