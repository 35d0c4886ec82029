import { readFileSync } from 'node:fs';
import { createSandbox, type EngineChoice, type Sandbox, type SandboxOptions } from '@mustard-sandbox/client';
import { printable } from '@mustard-sandbox/protocol/text';
import { parseEngine, parseIsolation } from './arguments.ts';
import { UsageError } from './failure.ts';
import { readTenants } from './fleet.ts';
import { styled } from './output.ts';

/** The flags that say where scripts run, as they were typed. */
export interface SandboxFlags {
  isolation?: string;
  engine?: string;
  remote?: string;
  tokenFile?: string;
  ca?: string;
  uploadDir?: boolean;
  fleet?: string;
  fleetKeys?: string;
  fleetFiles?: string;
}

/** The flags that `run` and `repl` share, as they were typed. */
export interface ScriptFlags extends SandboxFlags {
  root?: string;
  attach: string[];
  stored?: boolean;
  input: string[];
  timeout?: string;
  heap?: string;
  config?: string;
  json?: boolean;
  quiet?: boolean;
}

type Options = Pick<SandboxOptions, 'limits' | 'maxTimeoutMs' | 'roots' | 'engine'>;

/**
 * A sandbox on this machine, at the server of `--remote`, or at the fleet of `--fleet`.
 *
 * @throws {UsageError | SandboxError}
 */
export async function openSandbox(flags: SandboxFlags, options: Options): Promise<Sandbox> {
  const elsewhere = (await connectToFleet(flags, options)) ?? (await connectRemote(flags, options));
  if (elsewhere !== undefined) return elsewhere;
  const isolation = parseIsolation('--isolation', flags.isolation);
  return createSandbox({ spares: 0, ...options, isolation });
}

/** The engine that the flag names, or else the one in the configuration. @throws {UsageError} */
export function engineOf(
  { engine }: Pick<SandboxFlags, 'engine'>,
  configured: { engine?: EngineChoice },
): EngineChoice {
  return engine === undefined ? (configured.engine ?? 'auto') : parseEngine('--engine', engine);
}

/** The sandbox at the server; `undefined` when no server is named. @throws {UsageError | SandboxError} */
export async function connectRemote(flags: SandboxFlags, options: Options = {}): Promise<Sandbox | undefined> {
  const { remote, tokenFile, ca, uploadDir, isolation } = flags;
  if (remote === undefined) {
    if (tokenFile !== undefined) throw new UsageError('--token-file is for --remote URL, which is not given.');
    if (ca !== undefined) throw new UsageError('--ca is for --remote URL, which is not given.');
    if (uploadDir === true)
      throw new UsageError('--upload-dir is for --remote URL or --fleet URL, which is not given.');
    return undefined;
  }
  if (isolation !== undefined) {
    throw new UsageError('--isolation: the server decides that. Start it with --isolation.');
  }
  const token = readToken(tokenFile);
  const { connectSandbox } = await import('@mustard-sandbox/remote');
  return connectSandbox({
    ...options,
    url: remote,
    ...(token !== undefined && { token }),
    ...(ca !== undefined && { ca: readPem('--ca', ca) }),
    ...(uploadDir === true && { uploadDirectories: true }),
  });
}

/** The sandbox at the fleet; `undefined` when no fleet is named. @throws {UsageError | SandboxError} */
export async function connectToFleet(flags: SandboxFlags, options: Options = {}): Promise<Sandbox | undefined> {
  const { fleet, fleetKeys, fleetFiles, uploadDir, remote, isolation } = flags;
  if (fleet === undefined) {
    if (fleetKeys !== undefined) throw new UsageError('--fleet-keys is for --fleet URL, which is not given.');
    if (fleetFiles !== undefined) throw new UsageError('--fleet-files is for --fleet URL, which is not given.');
    return undefined;
  }
  if (remote !== undefined) throw new UsageError('--fleet and --remote: a script runs at one of them.');
  if (isolation !== undefined)
    throw new UsageError('--isolation: the workers decide that. Start them with --isolation.');
  if (fleetKeys === undefined) throw new UsageError('--fleet needs --fleet-keys FILE, with the key of the tenant.');
  const [tenant, ...more] = await readTenants(fleetKeys, '--fleet-keys');
  if (tenant === undefined || more.length > 0) throw new UsageError('--fleet-keys: a client is one tenant.');
  const { connectFleet } = await import('@mustard-sandbox/fleet');
  return connectFleet({
    ...options,
    connection: fleet,
    tenant: tenant.name,
    keys: tenant.keys,
    uploadDirectories: uploadDir === true,
    ...(fleetFiles !== undefined && { files: fleetFiles }),
  });
}

/** Reports the isolation of a sandbox here. A server reports its own. */
export function tellDegraded(flags: SandboxFlags, ...args: Parameters<typeof onDegraded>): () => void {
  return flags.remote === undefined && flags.fleet === undefined ? onDegraded(...args) : () => {};
}

/** The token from a file or the environment. On a command line every user of the machine could read it. */
function readToken(file: string | undefined): string | undefined {
  const [only, ...more] = file === undefined ? [] : readTokens(file);
  if (more.length > 0) throw new UsageError(`--token-file: '${file}' has several tokens; a client has one.`);
  return only?.token ?? process.env['MUSTARD_SANDBOX_TOKEN'];
}

/** A certificate or a key. @throws {UsageError} when it cannot be read, or is not PEM */
export function readPem(option: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${option}: '${file}' cannot be read: ${(error as Error).message}.`);
  }
  // Node accepts any text as the certificate of an authority, and then trusts nobody without saying why.
  if (text.includes('-----BEGIN ')) return text;
  throw new UsageError(`${option}: '${file}' is not a PEM file: no line begins with -----BEGIN.`);
}

/**
 * The tokens in a file, one on each line: `TOKEN` or `NAME TOKEN`. Empty lines and lines that begin with `#` are
 * ignored.
 */
export function readTokens(file: string): { name?: string; token: string }[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--token-file: '${file}' cannot be read: ${(error as Error).message}.`);
  }
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const tokens = lines.filter((line) => line !== '' && !line.startsWith('#')).map(readTokenLine);
  if (tokens.length === 0) throw new UsageError(`--token-file: '${file}' has no token.`);
  return tokens;
}

function readTokenLine(line: string): { name?: string; token: string } {
  const [first = '', second, ...more] = line.split(/\s+/);
  if (more.length > 0) throw new UsageError('--token-file: a line is TOKEN, or NAME TOKEN.');
  return second === undefined ? { token: first } : { name: first, token: second };
}

/**
 * Calls `tell` with a warning for stderr when scripts run without the jail that they should have. A command that runs
 * no script of the user, or that reports this in its own way, passes no `tell`.
 *
 * @returns a function that ends this
 */
export function onDegraded(sandbox: Sandbox, tell: (line: string) => void = () => {}): () => void {
  return sandbox.on('isolation_degraded', ({ reason }) => {
    tell(styled(process.stderr, 'yellow', `warning: scripts run without a jail: ${printable(reason)}`));
  });
}
