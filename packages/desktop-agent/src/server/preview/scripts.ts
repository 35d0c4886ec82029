// The scripts of package.json with which an app can be started.
import { delimiter, dirname, join } from 'node:path';
import * as z from 'zod';
import { AgentError, type App, type DevScript } from '../../shared/contract/index.ts';
import { loadChanges } from '../lazy.ts';

/** The usual scripts for working on an app, the likeliest first. */
const usual = ['dev', 'start', 'develop', 'serve', 'preview'];
const manifest = z.object({ scripts: z.record(z.string(), z.unknown()).optional() });

/**
 * The scripts of an app, the usual ones first.
 *
 * @throws {AgentError} `not_found` when package.json is missing or cannot be read
 */
export async function listScripts(app: App): Promise<DevScript[]> {
  const scripts = await readScripts(app);
  const rank = (name: string): number => (usual.includes(name) ? usual.indexOf(name) : usual.length);
  return [...scripts.keys()]
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
    .map((name) => ({ name, command: commandOf(scripts, name) }));
}

/**
 * What is run for a script, as one shell command. It does not go through `npm run`, because the `.npmrc` of the app can name
 * another shell and other programs, which no question would show.
 *
 * @param rebuild runs the script `build` first, if there is one
 * @throws {AgentError} `not_found`
 */
export async function readCommand(app: App, name: string, { rebuild = false } = {}): Promise<string> {
  const scripts = await readScripts(app);
  if (!scripts.has(name)) throw new AgentError('not_found', `package.json has no script ${JSON.stringify(name)}.`);
  const command = commandOf(scripts, name);
  const hasBuild = rebuild && scripts.has('build') && name !== 'build';
  return hasBuild ? both(commandOf(scripts, 'build'), command) : command;
}

/** The command of a script, with the `pre` script that npm runs before it. */
function commandOf(scripts: ReadonlyMap<string, string>, name: string): string {
  const before = scripts.get(`pre${name}`);
  const own = scripts.get(name) ?? '';
  return before === undefined ? own : both(before, own);
}

/** Runs the second command if the first succeeds. */
function both(first: string, second: string): string {
  return `${inParentheses(first)} && ${inParentheses(second)}`;
}

/** The line break ends a comment, which would otherwise swallow the closing parenthesis. */
function inParentheses(command: string): string {
  return command.includes('#') ? `(${command}\n)` : `(${command})`;
}

async function readScripts({ path }: App): Promise<ReadonlyMap<string, string>> {
  const { readFile } = await loadChanges();
  const { content } = await readFile(path, 'package.json');
  const parsed = manifest.safeParse(parseJson(content));
  if (!parsed.success)
    throw new AgentError('not_found', 'package.json is not JSON with scripts. Correct it, and try again.');
  const scripts = Object.entries(parsed.data.scripts ?? {});
  return new Map(scripts.filter((one): one is [string, string] => typeof one[1] === 'string' && one[1].trim() !== ''));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** The PATH as npm sets it for scripts. Programs from the app's packages come first, then those of its repository. */
export function pathOf({ path, repository }: App, inherited: string | undefined): string {
  const folders = [path];
  if (repository !== null) {
    for (let folder = path; folder !== repository && dirname(folder) !== folder; folders.push(folder)) {
      folder = dirname(folder);
    }
  }
  const ofPackages = folders.map((folder) => join(folder, 'node_modules', '.bin'));
  return [...ofPackages, inherited ?? '', dirname(process.execPath)].filter(Boolean).join(delimiter);
}
