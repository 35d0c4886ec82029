// Adds packages in a copy of the app's manifest, so that a failure leaves nothing in the app.
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../git/repository.ts';
import { AgentError } from '../../shared/contract/index.ts';
import { AppFiles } from './app-files.ts';
import { checkDependencies } from './dependency-names.ts';
import { installFolder } from './journal.ts';
import { refuseUninstallable } from './installable.ts';
import { managerOf, runManager, type Manager } from './package-manager.ts';
import type { Step } from './transaction.ts';

export interface Installed extends AsyncDisposable {
  /** The steps that change `package.json` and the lockfile. */
  steps: Step[];
  /** The folder that becomes `node_modules`. */
  modules: string | undefined;
  notes: string[];
}

const manifest = 'package.json';

/**
 * Installs packages beside the app, with the manifest and the lockfile as a plan leaves them. The app's `.npmrc` is not
 * used, because it can name programs and folders.
 *
 * @param packages the packages to add, or `listed` for those that the manifest names
 * @param steps what else the plan does; steps for the manifest or a lockfile among them are taken over and removed
 * @throws {AgentError} `internal` with the output of the package manager, `denied`
 */
export async function installed(
  repository: Repository,
  packages: readonly string[] | 'listed',
  steps: Step[],
  options: { signal?: AbortSignal; installScripts?: boolean; onOutput?: (text: string) => void },
): Promise<Installed> {
  const nothing = { steps: [], modules: undefined, notes: [], [Symbol.asyncDispose]: async () => {} };
  const dependencies = packages === 'listed' ? packages : checkDependencies(packages);
  if (dependencies.length === 0) return nothing;
  const files = new AppFiles(repository.app);
  refuseUninstallable(repository.app, (path) => {
    const step = steps.find((one) => one.path === path);
    return (step === undefined ? files.read(path)?.bytes : step.put?.bytes)?.toString('utf8');
  });
  const folder = installFolder(repository);
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  await remove();
  await repository.files.makePlainFolder(join(repository.gitdir, 'mustard-agent'));
  await mkdir(folder, { mode: 0o700 });
  try {
    const manager = managerOf(repository.app);
    const names = [manifest, ...manager.lockfiles];
    const taken = await copyManifests(files, steps, folder, names);
    await runManager(manager, folder, dependencies, options);
    const made = await madeSteps(files, taken, folder, names, manager);
    const modules = join(folder, 'node_modules');
    const notes = existsSync(join(repository.app, '.npmrc'))
      ? ['The packages were installed without the .npmrc of the app.']
      : [];
    return { steps: made, modules: existsSync(modules) ? modules : undefined, notes, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Writes the manifests as they will be, and removes their steps from those of the plan. */
async function copyManifests(
  files: AppFiles,
  steps: Step[],
  folder: string,
  names: readonly string[],
): Promise<Map<string, Step>> {
  const taken = new Map<string, Step>();
  for (const name of names) {
    const index = steps.findIndex(({ path }) => path === name);
    const [step] = index === -1 ? [] : steps.splice(index, 1);
    if (step !== undefined) taken.set(name, step);
    const bytes = step === undefined ? files.read(name)?.bytes : step.put?.bytes;
    // Without a manifest, a package manager would use that of a parent folder.
    if (bytes !== undefined) await writeFile(join(folder, name), bytes);
    else if (name === manifest) await writeFile(join(folder, name), '{\n  "private": true\n}\n');
  }
  return taken;
}

async function madeSteps(
  files: AppFiles,
  taken: ReadonlyMap<string, Step>,
  folder: string,
  names: readonly string[],
  manager: Manager,
): Promise<Step[]> {
  const steps: Step[] = [];
  for (const name of names) {
    const bytes = await readFile(join(folder, name)).catch(() => undefined);
    if (bytes === undefined) {
      if (name === manifest) throw new AgentError('internal', `${manager.name} left no package.json.`);
      continue;
    }
    const now = files.read(name);
    const base = taken.get(name)?.base ?? now?.hash ?? null;
    if (now === null || !now.bytes.equals(bytes)) steps.push({ path: name, put: { bytes, executable: false }, base });
  }
  return steps;
}
