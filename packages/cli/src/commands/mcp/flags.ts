import type { BackendName } from '@mustard-sandbox/bash-tools';
import type { ServeMcpOptions } from '@mustard-sandbox/mcp-server';
import { UsageError } from '../../failure.ts';
import type { SandboxFlags } from '../../sandbox.ts';

/** The flags as they were typed. */
export interface McpFlags extends SandboxFlags {
  root?: string;
  attach: string[];
  consent: NonNullable<ServeMcpOptions['consent']>;
  mediaDir?: string;
  out?: string;
  timeout?: string;
  config?: string;
  bash?: BackendName;
  workspace?: string;
  connect?: string;
  listen?: string;
  issuer?: string;
  resource?: string;
  scope?: string;
  tlsCert?: string;
  tlsKey?: string;
  allowHost?: string[];
  proxy?: string[];
  store?: string;
  storeBytes?: string;
  logLevel?: string;
}

/** The name of an option on the command line. */
export function optionOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Options that need `--listen`. */
const ofListening = [
  ...(['issuer', 'resource', 'scope', 'tlsCert', 'tlsKey', 'allowHost', 'proxy'] as const),
  ...(['store', 'storeBytes', 'logLevel'] as const),
] as const;

/** @throws {UsageError} for an option that has no meaning without `--listen` */
export function refuseListening(flags: McpFlags): void {
  const name = ofListening.find((one) => flags[one] !== undefined);
  if (name !== undefined) throw new UsageError(`${optionOf(name)} needs --listen.`);
}
