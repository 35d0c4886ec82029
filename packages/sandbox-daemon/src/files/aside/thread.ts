import { getHeapStatistics } from 'node:v8';
import { workerData } from 'node:worker_threads';
import { encodeValue, SandboxError, type WireValue } from '@mustard-sandbox/protocol';
import { systemLocator } from '@mustard-sandbox/paths';
import { ScopedFiles } from '../index.ts';
import { hasLimit } from '../options.ts';
import type { AsidePace } from '../pace.ts';
import { pdfText } from '../pdf-text.ts';
import { profile } from '../profile/profile.ts';
import { isDuckDBLoaded } from '../query/duckdb.ts';
import { query } from '../query/query.ts';
import { readData } from '../data/read-data.ts';
import { readSheet } from '../sheets/read-sheet.ts';
import { words, type AsideCall, type AsideData, type AsideEnd, type AsideName } from './messages.ts';
import { ThreadPace } from './thread-pace.ts';

/**
 * The thread for built-ins whose libraries give promises. Meanwhile the main thread waits, and its event loop stands
 * still.
 */
const { port, shared } = workerData as AsideData;
const state = new Int32Array(shared);

type Handler = (files: ScopedFiles<AsidePace>, args: readonly unknown[]) => Promise<WireValue>;

const handlers: Record<AsideName, Handler> = {
  pdf_text: async (files, args) => ({ json: await pdfText(files, args) }),
  profile: async (files, args) => encodeValue(await profile(files, args), 'result'),
  read_data: async (files, args) => encodeValue(await readData(files, args), 'result'),
  read_sheet: async (files, args) => encodeValue(readSheet(files, args), 'result'),
  query: async (files, args) => {
    const answer = await query(files, args);
    if (answer.truncated && !hasLimit(args[2])) files.cutShort.add('query');
    return encodeValue(answer, 'result');
  },
};

/**
 * Above this many bytes, the garbage of a call is collected before its answer, because all threads share one limit of
 * the process.
 */
const collectBytes = 32 * 1024 * 1024;

let pending: { number: number; files: ScopedFiles<AsidePace> } | undefined;

port.on('message', (call: AsideCall) => void answer(call));
process.on('uncaughtException', (error) => {
  tell({ fault: error.stack ?? String(error) });
  process.exit();
});
process.on('exit', () => Atomics.store(state, words.ended, 1));

async function answer({ number, name, args, files: { tree, attachments }, budget }: AsideCall): Promise<void> {
  const pace = new ThreadPace(() => Atomics.load(state, words.stopped) === number);
  const files = new ScopedFiles({ tree, attachments, locator: systemLocator }, budget, pace);
  pending = { number, files };
  let end: AsideEnd;
  try {
    end = { json: JSON.stringify(await handlers[name](files, args)) };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const { code, message, details } = error;
    end = { error: { code, message, details } };
  }
  collectLeftovers();
  tell(end);
}

function tell(end: AsideEnd): void {
  if (pending === undefined) return;
  const { number, files } = pending;
  pending = undefined;
  const { budget, attachmentsRead, cutShort } = files;
  port.postMessage({ number, end, budget, attachmentsRead, cutShort: [...cutShort], hasDuckDB: isDuckDBLoaded() });
  Atomics.store(state, words.answered, number);
  Atomics.notify(state, words.answered);
}

function collectLeftovers(): void {
  const { used_heap_size: heap, external_memory: outside } = getHeapStatistics();
  if (heap + outside > collectBytes) globalThis.gc?.();
}
