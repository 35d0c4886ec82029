import { setTimeout as delay } from 'node:timers/promises';
import { fleetStatus, isTenantName, newKeyLine, type FleetStatus } from '@mustard-sandbox/fleet';
import { SandboxError } from '@mustard-sandbox/protocol';
import { printable } from '@mustard-sandbox/protocol/text';
import { exitCodes } from '../../exit-code.ts';
import { UsageError } from '../../failure.ts';
import { queueOf, readTenants } from '../../fleet.ts';
import { writeLine } from '../../output.ts';
import { printJson, type Report } from '../../report.ts';
import { alignColumns } from '../../table.ts';
import type { FleetAction, FleetFlags } from './flags.ts';

interface Typed {
  action: FleetAction;
  tenant: string | undefined;
  flags: FleetFlags;
  /** Aborting it ends the watching. */
  signal: AbortSignal;
}

const watchEveryMs = 2_000;
/** Moves to the top and clears what is below. The screen does not flicker, as it would if all of it were cleared. */
const toTop = '\u001B[H\u001B[J';

/** @throws {UsageError | SandboxError} */
export async function fleet({ action, tenant, flags, signal }: Typed): Promise<Report> {
  if (action === 'key') return key(tenant, flags);
  return flags.watch === true ? await watch(tenant, flags, signal) : await status(tenant, flags);
}

/** Shows the status repeatedly. When the queue is away, it says so, and tries again. */
async function watch(tenant: string | undefined, flags: FleetFlags, signal: AbortSignal): Promise<Report> {
  for (let shown = 0; !signal.aborted; shown++) {
    const report = await status(tenant, flags).catch((error: unknown) => {
      if (shown === 0 || !(error instanceof SandboxError)) throw error;
      const text = printable(error.message);
      return { json: { ok: false, message: text }, print: () => writeLine(process.stdout, text) };
    });
    if (signal.aborted) break;
    if (flags.json === true) printJson(report.json ?? {});
    else {
      if (process.stdout.isTTY) process.stdout.write(toTop);
      report.print();
    }
    await delay(watchEveryMs, undefined, { signal }).catch(() => {});
  }
  return { json: undefined, print() {}, exitCode: exitCodes.done };
}

function key(tenant: string | undefined, { id = new Date().toISOString().slice(0, 10) }: FleetFlags): Report {
  if (tenant === undefined || !isTenantName(tenant)) {
    throw new UsageError('fleet key TENANT: its name has 1 to 32 lower-case letters, digits and hyphens between them.');
  }
  if (!/^[\w.-]{1,64}$/.test(id)) throw new UsageError('--id: 1 to 64 letters, digits, dots, hyphens and underscores.');
  const line = newKeyLine(tenant, id);
  return { json: { ok: true, line }, print: () => writeLine(process.stdout, line), exitCode: exitCodes.done };
}

async function status(tenant: string | undefined, { queue, keys }: FleetFlags): Promise<Report> {
  const known = keys === undefined ? [] : (await readTenants(keys, '--keys')).map(({ name }) => name);
  const found = await fleetStatus(queueOf(queue, '--queue'), tenant === undefined ? known : [tenant]);
  return { json: { ok: true, ...found }, print: () => print(found), exitCode: exitCodes.done };
}

function print({ workers, tenants }: FleetStatus): void {
  const rows = workers.map(({ name, release, slots, running, draining, queueMs }) => [
    ...[printable(name), release, `${running} of ${slots}`, `${Math.round(queueMs.p99)} ms`, draining ? 'ending' : ''],
  ]);
  writeLine(
    process.stdout,
    workers.length === 0 ? 'no workers' : alignColumns([['worker', 'release', 'running', 'wait p99', ''], ...rows]),
  );
  if (tenants.length > 0) {
    const lines = tenants.map(({ name, waiting, running, kept }) => [
      name,
      ...[waiting, running, kept.length].map(String),
    ]);
    writeLine(process.stdout, `\n${alignColumns([['tenant', 'waiting', 'running', 'kept'], ...lines])}`);
  }
  for (const { name, kept } of tenants) {
    for (const { id, why } of kept) writeLine(process.stdout, `${name} ${printable(id)}: ${printable(why)}`);
  }
}
