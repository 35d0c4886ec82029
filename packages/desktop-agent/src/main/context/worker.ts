// The thread that reads apps: one request at a time, one answer each.
import { parentPort } from 'node:worker_threads';
import { AppReader, type Reading } from './app-reader.ts';
import { maxListed, maxNamedOmissions } from './limits.ts';
import type { Answer, Request, Reply } from './messages.ts';
import { rulesOf } from './rules.ts';

const maxApps = 4;
/** The most recently used last. */
const readers = new Map<string, AppReader>();

function readerOf(appPath: string): AppReader {
  const reader = readers.get(appPath) ?? new AppReader(appPath);
  readers.delete(appPath);
  readers.set(appPath, reader);
  for (const oldest of readers.keys()) if (readers.size > maxApps) readers.delete(oldest);
  return reader;
}

async function answer({ appPath, wants, ...options }: Request): Promise<Answer> {
  if (wants === 'names') return readerOf(appPath).names(maxListed);
  const reading = readerOf(appPath).read(options);
  return wants === 'files' ? filesOf(reading) : await described(appPath, reading);
}

function filesOf({ files, omitted, complete }: Reading): Answer {
  return {
    files: files.map(({ path, content }) => ({ path, content: content.text })),
    omitted: omitted.slice(0, maxNamedOmissions).map(({ path, why }) => ({ path, why })),
    omittedCount: omitted.length,
    complete,
  };
}

async function described(appPath: string, { files, omitted, complete }: Reading): Promise<Answer> {
  const count = await tokenCounter();
  const rules = rulesOf(appPath);
  const all = [
    ...files.map(({ path, bytes, content }) => ({ path, bytes, tokens: (content.tokens ??= count(content.text)) })),
    ...omitted.map(({ path, bytes, why }) => ({ path, bytes, tokens: 0, omitted: why })),
  ];
  return {
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
    taken: files.length,
    omitted: omitted.length,
    complete,
    rules: rules === undefined ? null : { tokens: count(rules.text), cut: rules.cut },
    files: all.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, maxListed),
  };
}

type Encoding = typeof import('gpt-tokenizer/encoding/o200k_base');

/** A text without a space is one piece for the tokenizer, whose work grows faster than a piece does. */
const maxPiece = 8192;
/** `<|endoftext|>` in a file is text as any other. */
const asText = { disallowedSpecial: new Set<string>() };

let loaded: Promise<Encoding> | undefined;

/**
 * Loads what counts tokens: 2 MB of code, half a second on a slow machine.
 *
 * The tokens are those of OpenAI's newer models; others differ by some per cent.
 */
async function tokenCounter(): Promise<(text: string) => number> {
  const { countTokens } = await (loaded ??= import('gpt-tokenizer/encoding/o200k_base'));
  return (text) => {
    let count = 0;
    for (let at = 0; at < text.length; at += maxPiece) count += countTokens(text.slice(at, at + maxPiece), asText);
    return count;
  };
}

async function replyTo(request: Request): Promise<void> {
  let reply: Reply;
  try {
    reply = { value: await answer(request) };
  } catch (error) {
    reply = { error: (error as NodeJS.ErrnoException).code ?? (error as Error).message };
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort?.postMessage(reply);
}

parentPort?.on('message', (request: Request) => void replyTo(request));
