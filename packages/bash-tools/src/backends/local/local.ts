import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lookForBubblewrap, systemCallFilter } from '@mustard-sandbox/client/isolation';
import { BashError } from '../../errors.ts';
import type { BashLimits } from '../../limits.ts';
import type { Outside } from '../../network/outside.ts';
import { ControlGroups } from './control-groups.ts';
import { Jail, spareProcesses, type JailKit } from './jail.ts';
import { makeFolders } from './folder-machine.ts';
import { guardJails } from './leftovers.ts';
import { Pipes } from './pipes.ts';
import { findToolchain } from './toolchain.ts';

interface LocalOptions {
  limits: BashLimits;
  network: boolean;
  outside: Outside;
  /** Further files and folders that commands may read. */
  toolchain: readonly string[];
  /** A folder that only this process uses. */
  state: string;
}

/**
 * Everything that jails on this machine are made with, after one of them has worked.
 *
 * @throws {BashError} `backend_unavailable` with what is missing
 */
export async function localKit({ limits, network, outside, toolchain: extra, state }: LocalOptions): Promise<JailKit> {
  if (process.platform !== 'linux') {
    throw unavailable(`it needs bubblewrap, which there is for Linux only, and this is ${process.platform}`);
  }
  const bubblewrap = await lookForBubblewrap();
  if ('reason' in bubblewrap) throw unavailable(bubblewrap.reason.replace(/\.$/, ''));
  const filter = systemCallFilter(process.arch, { processes: true });
  if (filter === undefined) throw unavailable(`there is no filter of system calls for ${process.arch}`);
  const hasSize = /^(?:0\.(?:[7-9]|\d\d)|[1-9])/.test(bubblewrap.version);
  const toolchain = await findToolchain({ state, extra, network, hasSize });
  const guard = guardJails(state);
  const groups = ControlGroups.find({ processes: limits.processes + spareProcesses, memoryBytes: limits.memoryBytes });
  const kit: JailKit = {
    bubblewrap,
    toolchain,
    filter,
    pipes: new Pipes(state),
    guard,
    groups,
    limits,
    network,
    outside,
  };
  try {
    await tryOut(kit, state);
  } catch (error) {
    await closeKit(kit);
    throw error;
  }
  return kit;
}

/** Frees what is kept for the jails of this kit. No jail may be left. */
export async function closeKit({ guard, groups }: JailKit): Promise<void> {
  guard.close();
  await groups?.close();
}

/** Only its use shows whether the system lets bubblewrap work. */
async function tryOut(kit: JailKit, state: string): Promise<void> {
  const folder = await mkdtemp(join(state, 'try-'));
  try {
    const said: Buffer[] = [];
    const exitCode = await new Jail(kit, await makeFolders(folder)).run('exit 42', (_, chunk) => said.push(chunk));
    if (exitCode === 42) return;
    const why = Buffer.concat(said).toString('utf8').trim().slice(0, 500);
    throw unavailable(`no jail could be made: ${why === '' ? `exit code ${exitCode}` : why}`);
  } catch (error) {
    throw error instanceof BashError ? error : unavailable((error as Error).message);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function unavailable(why: string): BashError {
  return new BashError(
    'backend_unavailable',
    `The backend local cannot run here: ${why}. docs/bash-tools.md, "Backends", says what each needs.`,
    { details: { backend: 'local' } },
  );
}
