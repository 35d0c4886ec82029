import { builtinNames, engineNames, SandboxError, type ParamsIn } from '@mustard-sandbox/protocol';

/**
 * What a run may ask for by name, among the capabilities of a server: `builtin:read_file`, `engine:quickjs`. An older
 * server lists none, and refuses a name that it does not know.
 */
export const knownNames: readonly string[] = [
  ...builtinNames.map((name) => `builtin:${name}`),
  ...engineNames.map((name) => `engine:${name}`),
];

/** @throws {SandboxError} `invalid_request` for a built-in or an engine that the server lacks; nothing was sent */
export function assertKnown(
  { scope, engine }: Pick<ParamsIn<'sandbox/run'>, 'scope' | 'engine'>,
  capabilities: readonly string[],
): void {
  assertAll('builtin', scope?.builtins ?? [], 'scope.builtins', capabilities);
  assertAll('engine', engine === undefined || engine === 'auto' ? [] : [engine], 'engine', capabilities);
}

function assertAll(kind: string, asked: readonly string[], option: string, capabilities: readonly string[]): void {
  const known = capabilities.filter((name) => name.startsWith(`${kind}:`)).map((name) => name.slice(kind.length + 1));
  const missing = known.length === 0 ? [] : asked.filter((name) => !known.includes(name));
  if (missing.length === 0) return;
  throw new SandboxError(
    'invalid_request',
    `${option}: the server does not have ${missing.join(', ')}. It has ${known.join(', ')}. Leave it out, or update the server.`,
    { details: { problems: missing.map((name) => `${option}: ${name}`) } },
  );
}
