import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, parse, sep } from 'node:path';
import { isInside, isSecret } from '@mustard-sandbox/paths';
import { printableCode, quote } from '@mustard-sandbox/protocol';
import type { ServerContext } from '@modelcontextprotocol/server';
import { canAsk, capabilitiesOf } from './capabilities.ts';
import type { FolderQuestion } from './consent.ts';
import type { Connection } from './connection.ts';
import type { McpTool } from './extra-tool.ts';

/** The tool with which a model asks for a folder. */
const openFolderName = 'open_folder';

/**
 * Whether the model may ask for a folder: the client has no way to name one (roots), or names none that can be used. A
 * person always decides, whatever `consent` says about scripts.
 */
export function mayOpenFolder({ server, options, isLocal }: Connection, context: ServerContext): boolean {
  const isOn = isLocal && options.root === undefined && options.consent !== 'never';
  return isOn && canAsk(capabilitiesOf(server, context));
}

/**
 * Asks the user to let scripts read in a folder, until the server ends or another folder is opened. It is made for one
 * request: the target of its path is looked up once, so that a link cannot lead elsewhere after the question.
 */
export function openFolderTool({ folders, log }: Connection): McpTool {
  let found: Promise<string> | undefined;
  return {
    name: openFolderName,
    title: 'Open a folder for scripts',
    description:
      'Asks the user to let scripts read in a folder of their machine, in place of the folder that scripts read in now. Call it when the user names a folder that scripts cannot read.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string', description: 'Absolute path of the folder.' } },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { status: { enum: ['opened', 'denied'] }, folder: { type: 'string' } },
      required: ['status', 'folder'],
      additionalProperties: false,
    },
    readOnly: true,
    getConsentRequest: async ({ path }) => questionOf(await (found ??= folderAt(path))),
    call: async ({ path }, { signal, consent }) => {
      const folder = await (found ??= folderAt(path));
      const answer = await consent?.(questionOf(folder), { signal });
      if (answer !== 'allow-once') {
        const text = `The user did not open ${shown(folder)}. Do not ask for it again unless they name it.`;
        return { text, structured: { status: 'denied', folder }, isError: true };
      }
      folders.open(folder);
      log.resourcesChanged();
      const text = `Scripts now read in ${shown(folder)}: paths in scripts are relative to it.`;
      return { text, structured: { status: 'opened', folder }, isError: false };
    },
  };
}

function questionOf(folder: string): FolderQuestion {
  const preview = `${shown(folder)}\n\nThey can read all that is in it, except secrets such as .env and keys, and change nothing.`;
  return { script: `${openFolderName}(${JSON.stringify(folder)})`, preview, files: [], isFolder: true };
}

/** The whole path, however long, because a person decides on it. */
function shown(folder: string): string {
  return `"${printableCode(folder)}"`;
}

/** The path without links, so that the user sees the real folder. @throws {Error} with the problem of the path */
async function folderAt(path: unknown): Promise<string> {
  if (typeof path !== 'string' || !isAbsolute(path)) throw new Error('path must be the absolute path of a folder.');
  const real = await realpath(path).catch(() => undefined);
  const isFolder = real !== undefined && (await stat(real).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder) throw new Error(`There is no folder ${quote(path)}.`);
  if (isSecret(real.split(sep))) {
    throw new Error(`${quote(path)} cannot be opened: scripts read no folder with a name on the denylist.`);
  }
  if (real === parse(real).root || isInside(real, ofTheSystem)) {
    throw new Error(
      `${quote(path)} cannot be opened: it shows processes and devices. Name the folder that has the files.`,
    );
  }
  return real;
}

/** These hold data of other programs, such as the environment of each, and look like folders of files. */
const ofTheSystem = ['/proc', '/sys', '/dev'];
