import {
  createSandbox,
  limitTable,
  type LimitOptions,
  type RunResult,
  type SandboxValue,
} from '@mustard-sandbox/client';
import { parseDuration, parseInputs, parseIsolation, parseSize } from '../arguments.ts';
import { exitCodes } from '../exit-code.ts';
import { styled, writeLine } from '../output.ts';
import { printable } from '../printable.ts';
import { readScript } from '../read-script.ts';
import type { Report } from '../report.ts';
import { readScope, rootsOf } from '../scope.ts';
import { describeStatistics } from '../statistics.ts';
import { renderValue } from '../value.ts';

/** As typed. */
export interface RunFlags {
  root?: string;
  attach: string[];
  input: string[];
  timeout?: string;
  heap?: string;
  isolation?: string;
}

/** @throws {UsageError | SandboxError} */
export async function run(file: string, flags: RunFlags, signal: AbortSignal): Promise<Report> {
  const inputs = parseInputs(flags.input);
  const limits = readLimits(flags);
  const isolation = parseIsolation('--isolation', flags.isolation);
  const scope = readScope(flags);
  const script = await readScript(file, signal);
  await using sandbox = createSandbox({
    spares: 0,
    maxProcesses: 1,
    maxTimeoutMs: limitTable.timeoutMs.ceiling,
    isolation,
    roots: rootsOf(scope),
  });
  const result = await sandbox.run({
    script,
    inputs,
    scope,
    limits,
    signal,
    onConsole: ({ text }) => writeLine(process.stderr, printable(text)),
  });
  return reportOf(result);
}

function readLimits({ timeout, heap }: RunFlags): LimitOptions {
  const { timeoutMs, heapBytes, instructions } = limitTable;
  const limits: LimitOptions = {};
  if (timeout !== undefined) {
    limits.timeoutMs = parseDuration('--timeout', timeout, { min: 1, max: timeoutMs.ceiling });
    // 200 M instructions are about two seconds of work, so more time alone would be of little use.
    const share = Math.max(1, limits.timeoutMs / timeoutMs.default);
    limits.instructions = Math.min(instructions.ceiling, Math.round(instructions.default * share));
  }
  if (heap !== undefined) limits.heapBytes = parseSize('--heap', heap, { min: 1, max: heapBytes.ceiling });
  return limits;
}

function reportOf(result: RunResult): Report {
  const { executionMs, instructionsUsed, heapBytesUsed, hostCalls, bytesRead } = result;
  const statistics = { executionMs, instructionsUsed, heapBytesUsed, hostCalls, bytesRead };
  return {
    json: { ok: true, value: orNull(result.value), ...statistics },
    print() {
      writeLine(process.stdout, renderValue(result.value, process.stdout.isTTY));
      writeLine(process.stderr, styled(process.stderr, 'dim', describeStatistics(result)));
    },
    exitCode: exitCodes.done,
  };
}

/** `JSON.stringify` would leave the key out. */
function orNull(value: SandboxValue): SandboxValue {
  return value === undefined ? null : value;
}
