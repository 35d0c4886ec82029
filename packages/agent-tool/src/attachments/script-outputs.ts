import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScriptOutput } from './attachment.ts';
import { discard } from './folder.ts';
import { chatKey, outputFileOf, outputOfFile } from './names.ts';
import { namesIn } from './rebuild.ts';

/**
 * The files that the tool itself wrote into the media folder for this chat. They are in no manifest, because their
 * names hold all facts.
 */
export async function listOutputs(folder: string, chat?: string): Promise<ScriptOutput[]> {
  const own = chat === undefined ? undefined : chatKey(chat);
  const outputs = (await namesIn(folder)).sort().flatMap((file) => outputOfFile(file) ?? []);
  const names = outputs.filter(({ chatKey }) => chatKey === own).map(({ name }) => name);
  const found = await Promise.all(names.map((name) => findOutput(folder, name, chat)));
  return found.filter((output) => output !== undefined);
}

/**
 * Removes outputs of this chat that are older than `olderThanMs`, and no other file. It needs no lock, because nobody
 * changes an output. Never throws.
 *
 * @returns the names of those that are gone
 */
export async function removeOldOutputs(folder: string, olderThanMs: number, chat?: string): Promise<string[]> {
  const outputs = await listOutputs(folder, chat).catch(() => []);
  const old = outputs.filter(({ storedAt }) => Date.now() - Date.parse(storedAt) > olderThanMs);
  await Promise.all(old.map(({ path }) => discard(path)));
  return old.map(({ name }) => name);
}

/** `undefined` when it is missing, or is a link. */
export async function findOutput(
  folder: string,
  name: string,
  chat: string | undefined,
): Promise<ScriptOutput | undefined> {
  const path = join(folder, outputFileOf(name, chat));
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  const { size, mtime } = stats;
  return { kind: 'script-output', name, path, size, mediaType: 'text/plain', storedAt: mtime.toISOString() };
}
