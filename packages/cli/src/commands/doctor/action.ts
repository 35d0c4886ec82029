import { freemem, totalmem } from 'node:os';
import {
  builtinNames,
  createSandbox,
  installedBuiltins,
  libraryOf,
  limitTable,
  type Sandbox,
} from '@mustard-sandbox/client';
import { within } from '@mustard-sandbox/protocol';
import { readConfiguration } from '../../configuration/read.ts';
import { failureOf } from '../../failure.ts';
import { writeLine } from '../../output.ts';
import type { Report } from '../../report.ts';
import { onDegraded } from '../../sandbox.ts';
import { reportOf, type Facts } from './report.ts';
import { stress, type StressCheck } from './stress.ts';

export interface DoctorFlags {
  stress?: boolean;
  config?: string;
  quiet?: boolean;
}

/**
 * Checks the installation. The report says what is broken.
 *
 * @throws {UsageError} for a mistake in the configuration, and when it is interrupted
 */
export async function doctor(version: string, flags: DoctorFlags, signal: AbortSignal): Promise<Report> {
  const { path, exists, bash } = await readConfiguration(flags);
  const { backendStatus, gatesOf } = await import('@mustard-sandbox/bash-tools');
  const facts: Facts = {
    version,
    platform: process.platform,
    arch: process.arch,
    node: process.versions.node,
    nodePath: process.execPath,
    engines: [],
    engine: undefined,
    isolation: undefined,
    missing: missingBuiltins(),
    startMs: undefined,
    roundTripMs: undefined,
    memory: { totalBytes: totalmem(), freeBytes: freemem(), sidecarBytes: undefined },
    limits: limitTable,
    configuration: { path, exists },
    bash: { gates: gatesOf(bash), backends: await within(backendStatus(), { signal }) },
  };
  await using sandbox = createSandbox({ spares: 0, maxProcesses: 1, roots: [] });
  onDegraded(sandbox);
  try {
    await within(examine(sandbox, facts), { signal });
    if (flags.stress === true)
      facts.stress = await within(stress(flags.quiet === true ? () => {} : tellCheck, signal), { signal });
  } catch (error) {
    signal.throwIfAborted();
    return reportOf(facts, flags, failureOf(error, undefined));
  }
  return reportOf(facts, flags);
}

async function examine(sandbox: Sandbox, facts: Facts): Promise<void> {
  sandbox.on('ready', ({ startMs }) => (facts.startMs = startMs));
  facts.engine = await sandbox.warm().finally(() => (facts.isolation = sandbox.stats().isolation));
  facts.engines = facts.engine.available ? ['quickjs', 'mustardscript'] : ['quickjs'];
  const times: number[] = [];
  for (let count = 0; count < 6; count++) {
    const startedAt = performance.now();
    await sandbox.run({ script: '1 + 1' });
    times.push(performance.now() - startedAt);
  }
  // The first run compiles the script, and the sidecar's second thread starts during the next ones.
  facts.roundTripMs = Math.min(...times.slice(1));
  facts.memory.sidecarBytes = sandbox.stats().processes[0]?.residentBytes;
}

/** Prints each attempt at once, because all of them take a while. */
function tellCheck({ name, ok, detail }: StressCheck): void {
  writeLine(process.stderr, `${ok ? 'ok    ' : 'FAILED'}  ${name}: ${detail}`);
}

function missingBuiltins(): Facts['missing'] {
  const installed = new Set(installedBuiltins());
  return builtinNames.flatMap((builtin) => {
    const library = libraryOf(builtin);
    return library === undefined || installed.has(builtin) ? [] : [{ builtin, library }];
  });
}
