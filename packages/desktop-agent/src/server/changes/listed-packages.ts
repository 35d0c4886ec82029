// The packages that an app lists in package.json, such as after it was made or cloned.
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { AgentError, type Packages } from '../../shared/contract/index.ts';
import { realApp } from '../git/repository.ts';
import { AppFiles } from './app-files.ts';
import type { Applied, ApplyOptions } from './apply.ts';
import { installed } from './install.ts';
import { hostsIn, packagesIn, refuseUninstallable } from './installable.ts';
import { managerOf } from './package-manager.ts';
import { transact, type Step } from './transaction.ts';
import { withApp } from './writing.ts';

/** The packages in `package.json`, and whether they are installed. @throws {AgentError} `not_found` when the app is gone */
export async function listedPackages(appPath: string): Promise<Packages> {
  const app = await realApp(appPath);
  const files = new AppFiles(app);
  const textOf = (path: string): string | undefined => files.read(path)?.bytes.toString('utf8');
  try {
    const names = packagesIn(textOf('package.json'));
    const { name: manager } = managerOf(app);
    const stats = lstatSync(join(app, 'node_modules'), { throwIfNoEntry: false });
    return { manager, names, installed: stats !== undefined, hosts: hostsIn(textOf), refused: whyNot(app, textOf) };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    // `package.json` is a link, or too large.
    return { manager: 'npm', names: [], installed: false, hosts: [], refused: error.message };
  }
}

/**
 * Installs these packages, all or nothing. The caller has asked the person.
 *
 * @throws {AgentError} as `applyPlan`
 */
export async function installListed(appPath: string, { signal }: Pick<ApplyOptions, 'signal'>): Promise<Applied> {
  return await withApp(appPath, { signal }, async ({ repository, notes }) => {
    const none: Step[] = [];
    await using packages = await installed(repository, 'listed', none, { ...(signal && { signal }) });
    signal?.throwIfAborted();
    const { steps, modules } = packages;
    const made = await transact(repository, { steps, modules, message: 'Install packages', keepsCopies: true });
    const { commit, personCommit } = made;
    return { commit, personCommit, notes: [...notes, ...made.notes, ...made.copied, ...packages.notes] };
  });
}

function whyNot(app: string, textOf: (path: string) => string | undefined): string | null {
  try {
    refuseUninstallable(app, textOf);
    return null;
  } catch (error) {
    if (error instanceof AgentError && error.code === 'denied') return error.message;
    throw error;
  }
}
