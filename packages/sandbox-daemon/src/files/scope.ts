import { realpathSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { invalidRequest, quote, type Scope } from '@mustard-sandbox/protocol';
import { compileDenyGlob, isInside, type Files, type Locator, type Tree } from '@mustard-sandbox/paths';

/**
 * Resolves the paths of a scope, once for each run. Links that lead to the root or to an attachment are the host's
 * choice and are allowed, unless the scope forbids them.
 *
 * @param roots link-free. If given, every path of the scope must lie inside them
 * @throws {SandboxError} `invalid_request`; the message may reach the model, so it holds no host path
 */
export function filesOfScope(scope: Scope, locator: Locator, roots?: readonly string[]): Files {
  const inRoots = (what: string, real: string): string => {
    if (roots === undefined || isInside(real, roots)) return real;
    throw invalidRequest(`${what} lies outside the roots that the sandbox was created with`);
  };
  const attachments = new Map<string, string>();
  for (const { name, path, noLinks } of scope.attachments) {
    const what = `scope.attachments: ${quote(name)}`;
    const why = problemOfName(name) ?? (attachments.has(name) ? 'is there twice' : undefined);
    if (why !== undefined) throw invalidRequest(`${what} ${why}`);
    const real = resolve(path, what, 'a regular file', (stats) => stats.isFile());
    if (noLinks === true && real !== join(realpathSync.native(dirname(path)), basename(path))) {
      throw invalidRequest(`${what} is a link by now`);
    }
    attachments.set(name, inRoots(what, real));
  }
  const deny = scope.deny.map(compileDenyGlob);
  if (scope.root === undefined) return { tree: undefined, attachments, locator };
  const root = inRoots(
    'scope.root',
    resolve(scope.root, 'scope.root', 'a folder', (stats) => stats.isDirectory()),
  );
  const tree: Tree = { root, deny };
  return { tree, attachments, locator };
}

function problemOfName(name: string): string | undefined {
  if (name === '') return 'is an empty name';
  return /[/\p{Cc}\p{Cs}]/u.test(name) ? "must be a name without '/' and control characters" : undefined;
}

function resolve(path: string, what: string, wanted: string, isWanted: (stats: Stats) => boolean): string {
  if (!isAbsolute(path)) throw invalidRequest(`${what} must have an absolute path`);
  let real: string;
  let stats: Stats;
  try {
    real = realpathSync.native(path);
    stats = statSync(real);
  } catch (error) {
    throw invalidRequest(
      `${what} is not there or cannot be reached (${(error as NodeJS.ErrnoException).code ?? 'error'})`,
    );
  }
  if (!isWanted(stats)) throw invalidRequest(`${what} is not ${wanted}`);
  return real;
}
