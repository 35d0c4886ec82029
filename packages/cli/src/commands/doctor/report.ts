import { formatBytes } from '@mustard-sandbox/agent-tool';
import type { BackendStatus, Gate } from '@mustard-sandbox/bash-tools';
import type { EngineInfo, EngineName, LimitOptions, SandboxStats } from '@mustard-sandbox/client';
import { printable } from '@mustard-sandbox/protocol/text';
import { exitCodes } from '../../exit-code.ts';
import type { Failure } from '../../failure.ts';
import { writeLine } from '../../output.ts';
import { printFailure, type Report } from '../../report.ts';
import { formatCount, formatMs } from '../../statistics.ts';
import type { StressCheck } from './stress.ts';

/** The findings of `doctor`. */
export interface Facts {
  version: string;
  platform: string;
  arch: string;
  node: string;
  nodePath: string;
  /** The engines that can run scripts here. */
  engines: EngineName[];
  /** MustardScript: where it is, or why it is missing. */
  engine: EngineInfo | undefined;
  /** How scripts of `run` are confined. Their files are known, so a jail is possible. */
  isolation: SandboxStats['isolation'] | undefined;
  /** Built-ins that scripts lack here, each with the missing package. */
  missing: { builtin: string; library: string }[];
  /** The time from the request to spawn the sidecar to its first answer, in ms. */
  startMs: number | undefined;
  /** The fastest of five runs of `1 + 1` in a process that has run it before, in ms. */
  roundTripMs: number | undefined;
  memory: { totalBytes: number; freeBytes: number; sidecarBytes: number | undefined };
  limits: Record<keyof LimitOptions, { default: number; ceiling: number; unit: string }>;
  /** The file with the user's settings, and whether it exists. */
  configuration: { path: string; exists: boolean };
  /** The tools of `mcp --bash`: each gate, and each backend. */
  bash: { gates: Gate[]; backends: BackendStatus[] };
  /** The attempts of `--stress`. */
  stress?: StressCheck[];
}

function verdictOf(checks: StressCheck[]): { failure?: Failure; text: string } {
  const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name);
  if (failed.length === 0) return { text: `all ${checks.length} attempts to hurt the host were contained` };
  const message = `Not contained on this machine: ${failed.join(', ')}.`;
  return { text: message, failure: { code: 'sidecar_crashed', message, details: { failed } } };
}

/** The table of the facts. `broken` says why no script could run. */
export function reportOf(facts: Facts, { quiet }: { quiet?: boolean }, broken?: Failure): Report {
  const failure = broken ?? (facts.stress && verdictOf(facts.stress).failure);
  const error = failure && { code: failure.code, message: failure.message, details: failure.details };
  return {
    json: { ok: failure === undefined, ...(error && { error }), ...facts },
    print() {
      if (quiet !== true) writeLine(process.stdout, describe(facts));
      if (broken !== undefined) printFailure({ ...broken, hint: 'no script can run until this is mended' });
      else if (failure !== undefined) printFailure(failure);
    },
    exitCode: failure === undefined ? exitCodes.done : exitCodes.sidecar,
  };
}

function describe(facts: Facts): string {
  const {
    version,
    platform,
    arch,
    node,
    nodePath,
    engine,
    isolation,
    missing,
    startMs,
    roundTripMs,
    memory,
    limits,
    configuration,
    bash,
  } = facts;
  const ms = (value: number | undefined): string => (value === undefined ? 'not reached' : formatMs(value));
  const sidecar = memory.sidecarBytes === undefined ? '' : `, the sidecar holds ${formatBytes(memory.sidecarBytes)}`;
  const rows: [string, string][] = [
    ['mustard-sandbox', version],
    ['platform', `${platform} ${arch}`],
    ['node', `${node}, ${nodePath}`],
    ['engine', 'quickjs: in WebAssembly, wherever Node runs'],
    ['engine', describeEngine(engine)],
    ['binding', engine?.path ?? 'not found'],
    ['isolation', describeIsolation(isolation)],
    ...missing.map(({ builtin, library }): [string, string] => [
      builtin,
      `not there; npm install ${library}, beside mustard-sandbox, adds it`,
    ]),
    ['configuration', `${configuration.path}${configuration.exists ? '' : ', which is not there'}`],
    ...bash.gates.map(({ name, open, detail }): [string, string] => [
      `bash ${name}`,
      `${open ? 'open' : 'closed'}: ${detail}`,
    ]),
    ...bash.backends.map(({ backend, available, reason, bounds }): [string, string] => [
      `bash ${backend}`,
      available ? `ready${describeBounds(bounds)}` : `not available: ${reason ?? 'for an unknown reason'}`,
    ]),
    ['start', `${ms(startMs)}, from spawning a sidecar to its answer`],
    ['round trip', `${ms(roundTripMs)}, the script 1 + 1 in a warm sidecar`],
    ['memory', `${formatBytes(memory.totalBytes)}, ${formatBytes(memory.freeBytes)} of it free${sidecar}`],
    ...Object.entries(limits).map(([name, limit]): [string, string] => {
      const format = { bytes: formatBytes, ms: formatMs }[limit.unit] ?? formatCount;
      return [`limit ${name}`, `${format(limit.default)}, at most ${format(limit.ceiling)}`];
    }),
  ];
  if (facts.stress !== undefined) rows.push(['stress', verdictOf(facts.stress).text]);
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${printable(text)}`).join('\n');
}

function describeBounds(bounds: BackendStatus['bounds']): string {
  if (bounds === undefined) return '';
  const byKernel = bounds.length === 0 ? 'none here' : `${bounds.join(' and ')} of a command`;
  const missing = bounds.includes('memory')
    ? ''
    : '. The memory of a command is only looked at; started by `systemd-run --user --scope` there may be groups';
  return `; system calls are filtered (seccomp); bounded by control groups: ${byKernel}${missing}`;
}

function describeIsolation(isolation: Facts['isolation']): string {
  const { active, by = '', reason } = isolation ?? {};
  if (active === 'jail') return `jail, by ${by}`;
  return active === undefined ? 'unknown: no sidecar was started' : `process; no jail: ${reason ?? 'unknown'}`;
}

function describeEngine(engine: EngineInfo | undefined): string {
  if (engine === undefined) return 'mustardscript: unknown, no sidecar answered';
  if (!engine.available) {
    return `mustardscript: not available, so quickjs runs every script: ${engine.reason ?? 'for an unknown reason'}`;
  }
  return `mustardscript: ${engine.version ?? ''}`;
}
