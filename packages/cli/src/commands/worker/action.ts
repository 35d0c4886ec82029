import { once } from 'node:events';
import type { TracerLike } from '@mustard-sandbox/fleet';
import { serveOperators, startWorker } from '@mustard-sandbox/fleet/worker';
import { parseCount, parseDuration, parseIsolation, parseSize } from '../../arguments.ts';
import { exitCodes } from '../../exit-code.ts';
import { UsageError } from '../../failure.ts';
import { queueOf, readTenants } from '../../fleet.ts';
import { writeLine } from '../../output.ts';
import { printJson, type Report } from '../../report.ts';

/** The flags as they were typed. */
export interface WorkerFlags {
  queue?: string;
  keys: string;
  files?: string;
  cache?: string;
  cacheBytes?: string;
  slots?: string;
  isolation?: string;
  lostAfter?: string;
  drain?: string;
  listen?: string;
  name?: string;
  trace?: boolean;
  json?: boolean;
  quiet?: boolean;
}

/**
 * Takes jobs until `signal` is aborted.
 *
 * @throws {UsageError | SandboxError}
 */
export async function worker(flags: WorkerFlags, signal: AbortSignal): Promise<Report> {
  const { keys, files, cache, cacheBytes, slots, lostAfter, drain, name } = flags;
  const listen = flags.listen === undefined ? undefined : addressOf(flags.listen);
  await using running = await startWorker({
    connection: queueOf(flags.queue, '--queue'),
    tenants: await readTenants(keys, '--keys'),
    isolation: parseIsolation('--isolation', flags.isolation ?? 'jail'),
    ...(files !== undefined && { files }),
    ...(cache !== undefined && { cacheFolder: cache }),
    ...(cacheBytes !== undefined && { cacheBytes: parseSize('--cache-bytes', cacheBytes, { min: 0, max: 1024 ** 5 }) }),
    ...(slots !== undefined && { slots: parseCount('--slots', slots, { min: 1, max: 256 }) }),
    ...(lostAfter !== undefined && {
      lostAfterMs: parseDuration('--lost-after', lostAfter, { min: 1_000, max: 3_600_000 }),
    }),
    ...(drain !== undefined && { drainMs: parseDuration('--drain', drain, { min: 0, max: 3_600_000 }) }),
    ...(name !== undefined && { name }),
    ...(flags.trace === true && { tracer: await globalTracer() }),
  });
  const operators = listen && (await serveOperators(running, listen));
  const { name: called, release, slots: has } = running.stats();
  const facts = { name: called, release, slots: has, ...(operators && { url: operators.url }) };
  if (flags.json === true) printJson({ ok: true, ...facts });
  else if (flags.quiet !== true) {
    writeLine(process.stdout, `${called} takes up to ${has} jobs${operators ? `; ${operators.url}` : ''}`);
  }
  if (!signal.aborted) await once(signal, 'abort');
  await running.close();
  operators?.close();
  return { json: undefined, print() {}, exitCode: exitCodes.done };
}

/**
 * The tracer of whatever was loaded with the process, such as by NODE_OPTIONS. Otherwise a tracer that does nothing.
 */
async function globalTracer(): Promise<TracerLike> {
  try {
    const { trace } = await import('@opentelemetry/api');
    return trace.getTracer('mustard-sandbox');
  } catch {
    throw new UsageError('--trace needs the package @opentelemetry/api.');
  }
}

function addressOf(text: string): { host: string; port: number } {
  const [, host, port] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) throw new UsageError(`--listen: '${text}' is not HOST:PORT.`);
  return { host, port: Number(port) };
}
