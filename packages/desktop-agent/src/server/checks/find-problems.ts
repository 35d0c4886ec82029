import { realpathSync } from 'node:fs';
import { FolderFiles, refusalOfName } from '@mustard-sandbox/paths';
import { AgentError, type ProblemReport, type Unjailed } from '../../shared/contract/index.ts';
import { emptyOverlay, sourceOf, type Overlay } from '../context/index.ts';
import { jailedChecker, unjailedChecker, type CheckerCommand } from './checker-command.ts';
import { checkMs, maxProblems } from './limits.ts';
import { reportOf, unchecked } from './report.ts';
import { runChecker } from './run-checker.ts';

export interface FindProblemsOptions {
  /** Proposed changes, which are checked as if they had been made. Nothing is written. */
  overlay?: Overlay | undefined;
  signal?: AbortSignal | undefined;
  /**
   * What the app's compiler may do where there is no jail. It is a program that came with the app, so a person must have
   * allowed it. The default is nothing.
   */
  allowUnjailed?: Unjailed | undefined;
  /** How long one check may take, in ms. */
  timeoutMs?: number | undefined;
}

const config = 'tsconfig.json';
const maxManifestBytes = 256 * 1024;
/** The oldest version whose API has all that is used here. */
const oldestMajor = 4;
/** From this version on the compiler is a native program, which has to be started. */
const nativeMajor = 7;

/**
 * Asks the app's own TypeScript for the problems of the app, as it is or as it would be with `overlay`.
 *
 * @param appPath absolute
 * @returns the problems. `unchecked` says why the app was not checked, which is not an error
 * @throws {AgentError} `not_found` when the app is gone, `unsafe_path` for an overlay that leads out of it. After an abort it
 *   throws the reason of `signal`
 */
export async function findProblems(appPath: string, options: FindProblemsOptions = {}): Promise<ProblemReport> {
  const { overlay = emptyOverlay, signal, allowUnjailed = 'nothing', timeoutMs = checkMs } = options;
  refuseOutside(overlay);
  const app = realPathOf(appPath);
  const files = new FolderFiles(app);
  const version = versionIn(files);
  if (version === undefined) return unchecked('no-typescript');
  const major = Number.parseInt(version, 10);
  if (!(major >= oldestMajor)) return unchecked('unsupported', version);
  if (!hasConfig(files, overlay)) return unchecked('no-config');
  const request = JSON.stringify({ app, config, overlay, maxProblems });
  const check = async (command: CheckerCommand): Promise<ProblemReport> =>
    reportOf(await runChecker(command, request, timeoutMs, signal), version, timeoutMs);
  const jail = await jailedChecker(app);
  const report = 'reason' in jail ? unchecked('no-jail', jail.reason) : await check(jail);
  if (report.unchecked?.reason !== 'no-jail') return report;
  // Node can restrict a script. A native program has to be started, and then nothing restricts it.
  const isNative = major >= nativeMajor;
  if (isNative && allowUnjailed !== 'everything') return unchecked('no-jail-native', version);
  return allowUnjailed === 'nothing' ? report : await check(unjailedChecker(app, isNative));
}

function realPathOf(appPath: string): string {
  try {
    return realpathSync.native(appPath);
  } catch {
    throw new AgentError('not_found', `The folder of the app no longer exists: ${appPath}`);
  }
}

function refuseOutside({ deletes, renames, writes }: Overlay): void {
  const paths = [...deletes, ...renames.flatMap(({ from, to }) => [from, to]), ...writes.map(({ path }) => path)];
  for (const path of paths) {
    const isRefused = (name: string, index: number): boolean =>
      name === '' || name === '.' || refusalOfName(name, index === 0, process.platform) !== undefined;
    if (path.split('/').some(isRefused)) {
      throw new AgentError('unsafe_path', `${JSON.stringify(path)} is not a path in the app.`);
    }
  }
}

/** The version of TypeScript among the app's own dependencies. One in a parent folder does not count. */
function versionIn(files: FolderFiles): string | undefined {
  try {
    const { bytes } = files.read('node_modules/typescript/package.json', maxManifestBytes, 'problems');
    const { version } = JSON.parse(bytes.toString('utf8')) as { version?: unknown };
    return typeof version === 'string' ? version.slice(0, 100) : undefined;
  } catch {
    return undefined;
  }
}

function hasConfig(files: FolderFiles, overlay: Overlay): boolean {
  if (overlay.writes.some(({ path }) => path === config)) return true;
  const source = sourceOf(config, overlay);
  try {
    return source !== undefined && files.read(source, 0, 'problems').size >= 0;
  } catch {
    return false;
  }
}
