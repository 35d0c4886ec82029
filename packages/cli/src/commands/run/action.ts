import { formatBytes } from '@mustard-sandbox/agent-tool';
import { limitTable, SandboxError, type LimitOptions, type RunOptions, type Sandbox } from '@mustard-sandbox/client';
import { printable } from '@mustard-sandbox/protocol/text';
import { parseCount, parseInputs } from '../../arguments.ts';
import { UsageError } from '../../failure.ts';
import { readConfiguration } from '../../configuration/read.ts';
import { limitsOfFlags } from '../../limits.ts';
import { listStored } from '../../media.ts';
import { Progress } from '../../progress.ts';
import { readScript } from '../../read-script.ts';
import type { Report } from '../../report.ts';
import { drawCharts } from './charts.ts';
import { Measurements } from './measurements.ts';
import { describeProfile } from './profile.ts';
import { reportOf } from './report.ts';
import { watch } from './watch.ts';
import { engineOf, openSandbox, tellDegraded, type ScriptFlags } from '../../sandbox.ts';
import { readScope, rootsOf, type NamedFile } from '../../scope.ts';

/** The flags as they were typed. */
export interface RunFlags extends ScriptFlags {
  out?: string;
  graphics?: string;
  profile?: boolean;
  repeat?: string;
  watch?: boolean;
}

const maxRepeats = 10_000;

/** The parsed command line. */
interface Task {
  file: string;
  flags: RunFlags;
  inputs: Record<string, unknown>;
  limits: LimitOptions;
  repeats: number;
  stored: NamedFile[];
}

/** @throws {UsageError | SandboxError} */
export async function run(file: string, flags: RunFlags, signal: AbortSignal): Promise<Report> {
  const configuration = await readConfiguration(flags);
  const task: Task = {
    file,
    flags,
    inputs: parseInputs(flags.input),
    limits: limitsOfFlags(flags, configuration.limits),
    repeats: flags.repeat === undefined ? 1 : parseCount('--repeat', flags.repeat, { min: 1, max: maxRepeats }),
    stored: await listStored(flags),
  };
  if (flags.watch === true && file === '-') {
    throw new UsageError('--watch: stdin cannot be watched.', 'write the script to a file');
  }
  const scope = readScope(flags, task.stored);
  const script = await readScript(file, signal);
  await using sandbox = await openSandbox(flags, {
    engine: engineOf(flags, configuration),
    maxTimeoutMs: limitTable.timeoutMs.ceiling,
    roots: rootsOf(scope),
  });
  if (flags.watch !== true) return await execute(sandbox, task, { script, scope, signal });
  const paths = [file, ...(scope.attachments ?? []).map(({ path }) => path)];
  return await watch(paths, flags, signal, async (signal) => {
    const script = await readScript(file, signal);
    // The scope is checked again for each run. A watched attachment may be gone, and this error names it as it was
    // typed.
    return await execute(sandbox, task, { script, scope: readScope(flags, task.stored), signal });
  });
}

/** How far a script has read, where it has read something. */
function readText({ bytesRead, reached }: Parameters<NonNullable<RunOptions['onProgress']>>[0]): string {
  if (bytesRead === 0) return '';
  const share = reached && reached.size > 0 ? `, ${Math.round((100 * reached.position) / reached.size)} % of` : '';
  const file = reached === undefined ? '' : `${share} ${printable(reached.path)}`;
  return ` · ${formatBytes(bytesRead)} read${file}`;
}

type Once = Required<Pick<RunOptions, 'script' | 'scope' | 'signal'>>;

async function execute(sandbox: Sandbox, task: Task, { script, scope, signal }: Once): Promise<Report> {
  const { flags, inputs, limits, repeats } = task;
  const { json = false, quiet = false, profile = false } = flags;
  using progress = new Progress('running', { quiet });
  const stopTelling = tellDegraded(
    flags,
    sandbox,
    quiet ? undefined : (line) => progress.writeLine(process.stderr, line),
  );
  const onConsole = ({ text }: { text: string }): void => progress.writeLine(process.stderr, printable(text));
  const onProgress: RunOptions['onProgress'] = (spent) => progress.update(`running${readText(spent)}`);
  const { out: outputs } = flags;
  const options: RunOptions = {
    script,
    inputs,
    scope,
    limits,
    signal,
    profile,
    ...(outputs !== undefined && { outputs }),
  };
  try {
    const measurements = new Measurements(await sandbox.run(quiet ? options : { ...options, onConsole, onProgress }));
    for (let count = 2; count <= repeats; count++) {
      progress.update(`run ${count} of ${repeats}`);
      measurements.add(await sandbox.run(options));
    }
    return reportOf(measurements, flags, await drawCharts(measurements.first.outputs, json ? 'none' : flags.graphics));
  } catch (error) {
    if (!json && error instanceof SandboxError && error.details.profile !== undefined) {
      progress.writeLine(process.stderr, describeProfile(error.details.profile));
    }
    throw error;
  } finally {
    stopTelling();
  }
}
