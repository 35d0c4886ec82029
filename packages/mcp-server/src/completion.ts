import { realpath } from 'node:fs/promises';
import { FolderFiles } from '@mustard-sandbox/paths';
import type { CompleteRequest, CompleteResult, ServerContext } from '@modelcontextprotocol/server';
import { availableFrom } from '@mustard-sandbox/agent-tool/host';
import type { Connection } from './connection.ts';
import { recipeOf } from './prompts.ts';
import { invalidParams, resourceTemplate } from './resource-uri.ts';

/** The most values that the protocol allows. */
const mostValues = 100;
/** Inputs of recipes that name a file or a folder. */
const paths = new Set(['file', 'dir', 'pdf', 'json', 'lookup']);

/**
 * Completions of what a person has begun to type: names of attachments, and files of the folder that scripts may read.
 *
 * @throws {ProtocolError} invalid params: the thing to complete does not exist
 */
export async function complete(
  connection: Connection,
  { ref, argument }: CompleteRequest['params'],
  context: ServerContext,
): Promise<CompleteResult> {
  const { folders, workspaces, options } = connection;
  const folder = await folders.known(context);
  const { files } = await workspaces.at(folder);
  const names = async (): Promise<string[]> => (await availableFrom(files)).attachments.map(({ name }) => name);
  if (ref.type === 'ref/resource') {
    if (ref.uri !== resourceTemplate) throw invalidParams(`There is no template ${JSON.stringify(ref.uri)}.`);
    return argument.name === 'name' ? matching(await names(), argument.value) : matching([], '');
  }
  const { inputs, name } = recipeOf(options.recipes(), ref.name);
  const input = inputs.find((candidate) => candidate.name === argument.name);
  if (input === undefined) throw invalidParams(`${name} has no input ${JSON.stringify(argument.name)}.`);
  if (input.type === 'boolean') return matching(['true', 'false'], argument.value);
  if (!paths.has(input.name)) return matching([], '');
  const attached = (await names()).map((name) => `attachments:${name}`);
  return matching([...attached, ...(await pathsIn(folder, argument.value))], argument.value);
}

function matching(all: readonly string[], begun: string): CompleteResult {
  const found = all.filter((value) => value.toLowerCase().startsWith(begun.toLowerCase()));
  const values = found.slice(0, mostValues);
  return { completion: { values, total: found.length, hasMore: found.length > values.length } };
}

/** The entries of the folder that the typed path leads to, through the guard of the scripts. */
async function pathsIn(folder: string | undefined, begun: string): Promise<string[]> {
  if (folder === undefined) return [];
  const parent = begun.slice(0, begun.lastIndexOf('/') + 1);
  try {
    const files = new FolderFiles(await realpath(folder), { refuseSecrets: true });
    const entries = files.list(parent === '' ? '.' : parent.slice(0, -1), 'completion');
    return [...entries].map(({ name, stats }) => parent + name + (stats === undefined ? '/' : ''));
  } catch {
    // It is missing or refused, so there is nothing to offer.
    return [];
  }
}
