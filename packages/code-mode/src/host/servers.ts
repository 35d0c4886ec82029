import { CodeModeError } from '../errors.ts';
import type { Budget, Rule, ServerOptions } from '../options.ts';
import { isObject } from '../schema/schema.ts';

/** The content of a `servers.json`. */
export interface Servers {
  /** The key is the namespace of the server's tools. */
  mcp: Record<string, ServerOptions>;
  policy?: Rule[];
  budgets?: Budget[];
  writes?: 'make' | 'propose';
  /** For each server, the settings in the file that have no meaning here. */
  ignored: string[];
}

type Json = Record<string, unknown>;
type Variables = Readonly<Record<string, string | undefined>>;

const used = {
  stdio: ['type', 'command', 'args', 'env', 'cwd', 'timeoutMs', 'trustHints', 'tools', 'disabled'],
  http: ['type', 'url', 'headers', 'timeoutMs', 'trustHints', 'tools', 'disabled'],
};
const httpTypes = ['http', 'streamable-http', 'streamableHttp'];

/**
 * Reads the `mcpServers` of Claude Desktop, Cursor and others, with `policy`, `budgets` and `writes` of code mode
 * beside them.
 *
 * @param value the parsed JSON of the file
 * @param env the values for `${NAME}` in it
 * @throws {CodeModeError} `invalid_request` with the problem, in a form that follows "The file: "
 */
export function parseServers(value: unknown, env: Variables): Servers {
  if (!isObject(value)) throw wrong('it is not an object');
  const { mcpServers, policy, budgets, writes } = value;
  if (!isObject(mcpServers)) throw wrong('it has no object mcpServers');
  const mcp: Record<string, ServerOptions> = {};
  const ignored: string[] = [];
  for (const [name, given] of Object.entries(mcpServers)) {
    if (isObject(given) && given['disabled'] === true) continue;
    const namespace = namespaceOf(name);
    if (namespace === '__proto__') throw wrong(`no server can be called ${name}`);
    if (Object.hasOwn(mcp, namespace)) throw wrong(`two servers would both be ${namespace} in scripts: rename one`);
    mcp[namespace] = parseServer(name, given, env);
    ignored.push(...ignoredIn(given as Json).map((key) => `${name}.${key}`));
  }
  if (Object.keys(mcp).length === 0) throw wrong('mcpServers names no server');
  return {
    mcp,
    ignored,
    ...(policy !== undefined && { policy: policy as Rule[] }),
    ...(budgets !== undefined && { budgets: budgets as Budget[] }),
    ...(writes !== undefined && { writes: writes as 'make' | 'propose' }),
  };
}

/**
 * One of the `mcpServers` in the form of code mode, which checks the rest.
 *
 * @throws {CodeModeError} `invalid_request`
 */
export function parseServer(name: string, given: unknown, env: Variables): ServerOptions {
  const fails = (problem: string): CodeModeError => wrong(`mcpServers.${name}${problem}`);
  if (!isObject(given)) throw fails(' is not an object');
  const { type = 'http', disabled: _, ...rest } = given;
  if ('url' in given && !httpTypes.includes(type as string)) {
    throw fails(
      `.type: ${JSON.stringify(type)} is not supported. A server at an address speaks streamable HTTP ("http")`,
    );
  }
  if ('url' in given === 'command' in given) throw fails(' needs either a command or a url');
  const ignored = ['type', ...ignoredIn(given)];
  const kept = Object.entries(rest).filter(([key]) => !ignored.includes(key));
  return Object.fromEntries(kept.map(([key, value]) => [key, filledIn(value, fails, env)])) as unknown as ServerOptions;
}

/** The namespace of a server: `github-server` becomes `github_server` in scripts. */
export function namespaceOf(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_$]/g, '_');
  return /^[0-9]/.test(plain) || plain === '' ? `_${plain}` : plain;
}

function ignoredIn(given: Json): string[] {
  const known = 'url' in given ? used.http : used.stdio;
  return Object.keys(given).filter((key) => !known.includes(key) || !isOurs(key, given[key]));
}

/** Other programs have a list of names as `tools`. */
function isOurs(key: string, value: unknown): boolean {
  return key !== 'tools' || isObject(value);
}

/**
 * Fills in values of the environment for `${NAME}`, `${NAME:-default}` and `${env:NAME}`, so that a file needs no
 * secrets.
 */
function filledIn(value: unknown, fails: (problem: string) => CodeModeError, env: Variables): unknown {
  if (Array.isArray(value)) return value.map((each) => filledIn(each, fails, env));
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filledIn(each, fails, env)]));
  }
  if (typeof value !== 'string') return value;
  return value.replace(/\$\{(?:env:)?(\w+)(?::-([^}]*))?\}/g, (_, name: string, otherwise: string | undefined) => {
    const found = env[name] ?? otherwise;
    if (found === undefined) throw fails(`: the variable ${name} is not set`);
    return found;
  });
}

function wrong(problem: string): CodeModeError {
  return new CodeModeError('invalid_request', problem);
}
