import { statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { printable } from '@mustard-sandbox/protocol/text';
import { exitCodes } from '../../exit-code.ts';
import { failureOf } from '../../failure.ts';
import { styled, writeLine } from '../../output.ts';
import { failureReport, printJson, type Report } from '../../report.ts';

/** How often the files are checked, and how long they must stay unchanged to count as written, in ms. */
const pollMs = 100;

interface Flags {
  json?: boolean;
  quiet?: boolean;
}

/**
 * Calls `execute` now and after each change of the files, until `signal` is aborted, and prints each report. When the
 * files change during a run, the run is aborted and its report dropped.
 */
export async function watch(
  paths: string[],
  flags: Flags,
  signal: AbortSignal,
  execute: (signal: AbortSignal) => Promise<Report>,
): Promise<Report> {
  const tell = (text: string): void => {
    if (flags.quiet !== true) writeLine(process.stderr, styled(process.stderr, 'dim', text));
  };
  const name = printable(paths[0] as string);
  const what = paths.length === 1 ? name : `${name} or its attachments`;
  while (!signal.aborted) {
    // This comes before the script is read, so that no later change is missed.
    const seen = stateOf(paths);
    const overtaken = new AbortController();
    const running = execute(AbortSignal.any([signal, overtaken.signal])).catch((error: unknown): Report =>
      failureReport(failureOf(error, undefined)),
    );
    const changed = changeFrom(seen, paths, signal);
    const report = await Promise.race([running, changed]);
    if (report === undefined) overtaken.abort();
    await running;
    if (signal.aborted) break;
    if (report !== undefined) {
      print(report, flags);
      tell(`waiting for ${what} to change; Ctrl-C ends it`);
      await changed;
    }
    if (!signal.aborted) tell(`${what} changed`);
  }
  // Being stopped is its normal end.
  return { json: undefined, print: () => {}, exitCode: exitCodes.done };
}

function print(report: Report, { json }: Flags): void {
  if (json === true && report.json !== undefined) printJson(report.json);
  else report.print();
}

/**
 * Settles when the files differ from the state `seen` and have come to rest, or when `signal` is aborted.
 *
 * It polls, because notifications of the system stop when an editor replaces the file, and network folders send none.
 */
async function changeFrom(seen: string, paths: string[], signal: AbortSignal): Promise<undefined> {
  let last = seen;
  while (!signal.aborted) {
    await wait(pollMs, undefined, { signal }).catch(() => {});
    const now = stateOf(paths);
    if (now !== seen && now === last) return;
    last = now;
  }
}

function stateOf(paths: string[]): string {
  return paths.map(stateOfFile).join();
}

function stateOfFile(path: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(':');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
