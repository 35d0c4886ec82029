import { basename } from 'node:path';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import { printable, printableJson } from '@mustard-sandbox/protocol/text';
import type { RunResult, RunWarning, SandboxValue } from '@mustard-sandbox/client';
import { exitCodes } from '../../exit-code.ts';
import { styled, writeLine } from '../../output.ts';
import type { Report } from '../../report.ts';
import { describeStatistics, formatCount, formatMs } from '../../statistics.ts';
import { alignColumns } from '../../table.ts';
import type { Measurements, Repeats, Spread } from './measurements.ts';
import type { DrawnChart } from './charts.ts';
import { describeProfile } from './profile.ts';

interface Flags {
  quiet?: boolean;
  repeat?: string;
}

/**
 * The report of one run, or of several runs of one script, with the charts that it kept. `--quiet` keeps the value and what other flags
 * ask for.
 */
export function reportOf(
  measurements: Measurements,
  { quiet, repeat }: Flags,
  charts: readonly DrawnChart[] = [],
): Report {
  const { first, profile } = measurements;
  const repeats = repeat === undefined ? undefined : measurements.repeats();
  return {
    json: { ...jsonOf(first, charts), ...(repeats && { repeat: repeats }), ...(profile && { profile }) },
    print() {
      writeLine(process.stdout, renderValue(first.value, process.stdout.isTTY));
      if (repeats !== undefined) writeLine(process.stderr, describeRepeats(repeats));
      if (profile !== undefined) writeLine(process.stderr, describeProfile(profile));
      if (quiet === true) return;
      for (const { name, size } of first.outputs ?? []) {
        writeLine(process.stderr, `saved ${printable(name)} (${formatBytes(size)})`);
        const chart = charts.find((one) => one.name === name);
        if (chart !== undefined) writeLine(process.stderr, describeChart(chart));
      }
      for (const warning of first.warnings)
        writeLine(process.stderr, styled(process.stderr, 'yellow', describeWarning(warning)));
      if (repeats === undefined) writeLine(process.stderr, styled(process.stderr, 'dim', describeStatistics(first)));
    },
    exitCode: exitCodes.done,
  };
}

/** The object of `--json` for one run. */
export function jsonOf(result: RunResult, charts: readonly DrawnChart[] = []): Report['json'] & object {
  const { value, executionMs, instructionsUsed, heapBytesUsed, hostCalls, bytesRead, warnings, outputs } = result;
  const numbers = { executionMs, instructionsUsed, heapBytesUsed, hostCalls, bytesRead };
  const saved = outputs?.map(({ name, size, path }) => {
    const { svg, png } = charts.find((one) => one.name === name) ?? {};
    return { name, size, path, ...(svg !== undefined && { svg }), ...(png !== undefined && { png }) };
  });
  return {
    ok: true,
    value: orNull(value),
    ...numbers,
    ...(saved && { outputs: saved }),
    ...(warnings.length > 0 && { warnings }),
  };
}

function describeChart({ name, svg, png, problem, drawing }: DrawnChart): string {
  const lines = [svg, png].flatMap((path) => (path === undefined ? [] : [`saved ${printable(basename(path))}`]));
  if (problem !== undefined) {
    lines.push(`${printable(name)} is not drawn${svg === undefined ? '' : ' as PNG'}: ${printable(problem)}`);
  }
  if (drawing !== undefined) lines.push(drawing);
  return lines.join('\n');
}

function describeWarning({ message, line }: RunWarning): string {
  return `warning: ${line === undefined ? '' : `line ${line}: `}${message}`;
}

/** `undefined` becomes `null`, because `JSON.stringify` would leave the key out. */
function orNull(value: SandboxValue): SandboxValue {
  return value === undefined ? null : value;
}

function describeRepeats({ runs, values, executionMs, instructionsUsed }: Repeats): string {
  const row = (name: string, { min, median, max }: Spread, format: (value: number) => string): string[] => [
    name,
    format(min),
    format(median),
    format(max),
  ];
  const table = alignColumns([
    [runs === 1 ? '1 run' : `${runs} runs`, 'min', 'median', 'max'],
    row('time', executionMs, formatMs),
    row('instructions', instructionsUsed, formatCount),
  ]);
  if (values === 1) return table;
  const warning = `The value was not always the same: there were ${values} different ones; this is that of the first run.`;
  return `${table}\n${styled(process.stderr, 'yellow', warning)}`;
}

/** A script's value in the form in which it is printed: a string unchanged, objects and arrays as JSON. */
function renderValue(value: SandboxValue, onTerminal: boolean): string {
  // A pipe or a file gets every character, because it may hold data.
  if (typeof value === 'string') return onTerminal ? printable(value) : value;
  if (typeof value === 'object' && value !== null) return printableJson(JSON.stringify(value, undefined, 2));
  return Object.is(value, -0) ? '-0' : String(value);
}
