// `[include]` and `[includeIf]` in the person's own configuration of git.
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import picomatch from 'picomatch';

export interface ConfigScope {
  /** The person's home folder, absolute. */
  home: string;
  /** The `.git` for which the configuration is read, absolute. */
  gitdir: string;
}

/** The deepest nesting, as in git. */
const maxDepth = 10;
const header = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/;
const pathLine = /^\s*(?:\[[^\]]*\]\s*)?path\s*=\s*(?:"([^"]*)"|([^;#]*))/i;

/**
 * The text of a configuration file, with included files inserted in their places, so that the same one of two values counts
 * as in git. The conditions `gitdir` and `gitdir/i` are supported. Others never hold.
 *
 * @throws when the file cannot be read; an included file that cannot be read is left out
 */
export async function configWithIncludes(file: string, scope: ConfigScope, depth = 0): Promise<string> {
  const lines: string[] = [];
  let section = '';
  let holds = false;
  for (const line of (await readFile(file, 'utf8')).split(/\r?\n/)) {
    lines.push(line);
    const found = header.exec(line);
    if (found !== null) {
      section = found[0];
      const name = found[1]?.toLowerCase();
      const condition = found[2]?.replaceAll(/\\(.)/g, '$1');
      holds = condition === undefined ? name === 'include' : name === 'includeif' && isTrue(condition, file, scope);
    }
    const path = holds && depth < maxDepth ? pathIn(line) : undefined;
    if (path === undefined) continue;
    const included = absolute(path, file, scope);
    lines.push(await configWithIncludes(included, scope, depth + 1).catch(() => ''), section);
  }
  return lines.join('\n');
}

function pathIn(line: string): string | undefined {
  const found = pathLine.exec(line);
  const path = (found?.[1] ?? found?.[2])?.trim();
  return path === '' ? undefined : path;
}

function absolute(path: string, file: string, { home }: ConfigScope): string {
  if (path.startsWith('~/')) return join(home, path.slice(2));
  return isAbsolute(path) ? path : join(dirname(file), path);
}

function isTrue(condition: string, file: string, { home, gitdir }: ConfigScope): boolean {
  const [, nocase, wanted] = /^gitdir(\/i)?:(.*)$/.exec(condition) ?? [];
  if (wanted === undefined || wanted === '') return false;
  const start = wanted.replace(/^~(?=\/)/, literal(home)).replace(/^\.(?=\/)/, literal(dirname(file)));
  const anywhere = isAbsolute(start) || start.startsWith('/') ? start : `**/${start}`;
  const pattern = anywhere.endsWith('/') ? `${anywhere}**` : anywhere;
  return picomatch.isMatch(gitdir.replaceAll('\\', '/'), pattern, { dot: true, nocase: nocase !== undefined });
}

/** Escapes a folder for a pattern, so that its own `*` and brackets have no meaning. */
function literal(folder: string): string {
  return folder.replaceAll('\\', '/').replaceAll(/[*?[\](){}!+@|]/g, '\\$&');
}
