// Reads apps for prompts and pages, in a worker thread, and caches the texts until they change.
import { AgentError, type Context } from '../../shared/contract/index.ts';
import { AppReader, type FileNames, type ReadOptions } from './app-reader.ts';
import { maxListed, maxNamedOmissions } from './limits.ts';
import { rulesOf, type Rules } from './rules.ts';
import { skillsOf, type Skill } from './skills.ts';

/** The files of an app for a prompt. */
export interface ContextFiles {
  /** The least recently changed first, so that the beginning of the prompt stays the same. Proposed files come last. */
  files: readonly { path: string; content: string }[];
  /** Files that are left out, with the reason. Only the first ones are named. */
  omitted: readonly { path: string; why: 'too-large' | 'binary' | 'limit' }[];
  /** How many are left out. */
  omittedCount: number;
  /** False when the app has more files than are read. */
  complete: boolean;
}

const maxApps = 4;
/** The most recently used last. */
const readers = new Map<string, AppReader>();

function readerOf(appPath: string): AppReader {
  const reader = readers.get(appPath) ?? newReader(appPath);
  readers.delete(appPath);
  readers.set(appPath, reader);
  for (const oldest of readers.keys()) if (readers.size > maxApps) readers.delete(oldest);
  return reader;
}

/** @throws {AgentError} `not_found`, `internal` */
function newReader(appPath: string): AppReader {
  try {
    return new AppReader(appPath);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') {
      throw new AgentError('internal', `The files of ${appPath} could not be read: ${code}`, { cause: error });
    }
    throw new AgentError('not_found', `The folder of the app no longer exists: ${appPath}`, { cause: error });
  }
}

/** @throws {AgentError} `not_found`, `limit_exceeded`, as the functions below do */
export function readFiles(appPath: string, options: ReadOptions): ContextFiles {
  const { files, omitted, complete } = readerOf(appPath).read(options);
  return {
    files: files.map(({ path, content }) => ({ path, content: content.text })),
    omitted: omitted.slice(0, maxNamedOmissions).map(({ path, why }) => ({ path, why })),
    omittedCount: omitted.length,
    complete,
  };
}

export function listNames(appPath: string): FileNames {
  return readerOf(appPath).names(maxListed);
}

/** The rules and skills of an app for models. */
export interface Instructions {
  rules: Rules[];
  skills: Skill[];
}

export function readInstructions(appPath: string): Instructions {
  const { files } = readerOf(appPath).names(Infinity);
  return { rules: rulesOf(appPath, files), skills: skillsOf(appPath, files) };
}

export async function describeFiles(appPath: string, options: ReadOptions): Promise<Context> {
  const { files, omitted, complete } = readerOf(appPath).read(options);
  const count = await tokenCounter();
  const { rules, skills } = readInstructions(appPath);
  const all = [
    ...files.map(({ path, bytes, content }) => ({ path, bytes, tokens: (content.tokens ??= count(content.text)) })),
    ...omitted.map(({ path, bytes, why }) => ({ path, bytes, tokens: 0, omitted: why })),
  ];
  return {
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
    taken: files.length,
    omitted: omitted.length,
    complete,
    rules: rules.map(({ path, text, cut }) => ({ path, tokens: count(text), cut })),
    skills: skills.map(({ name, description, path }) => ({ name, description, path })),
    files: all.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, maxListed),
  };
}

type Encoding = typeof import('gpt-tokenizer/encoding/o200k_base');

/** The most characters that are tokenized at once. The work grows faster than linearly for a text without spaces. */
const maxPiece = 8192;
/** Special tokens in a file, such as `<|endoftext|>`, count as text. */
const asText = { disallowedSpecial: new Set<string>() };

let loaded: Promise<Encoding> | undefined;

/**
 * Loads the tokenizer, which is 2 MB of code and takes half a second on a slow machine.
 *
 * The tokens are those of OpenAI's newer models. Other models differ by some per cent.
 */
async function tokenCounter(): Promise<(text: string) => number> {
  const { countTokens } = await (loaded ??= import('gpt-tokenizer/encoding/o200k_base'));
  return (text) => {
    let count = 0;
    for (let at = 0; at < text.length; at += maxPiece) count += countTokens(text.slice(at, at + maxPiece), asText);
    return count;
  };
}
