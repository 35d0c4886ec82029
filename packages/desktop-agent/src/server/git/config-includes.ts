// `[include]` and `[includeIf]` in the person's own configuration of git.
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import picomatch from 'picomatch';

export interface ConfigScope {
  /** The person's folder, absolute. */
  home: string;
  /** The `.git` that the configuration is read for, absolute. */
  gitdir: string;
}

/** As in git. */
const maxDepth = 10;
const header = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/;
const pathLine = /^\s*(?:\[[^\]]*\]\s*)?path\s*=\s*(?:"([^"]*)"|([^;#]*))/i;

/**
 * The text of a file of settings, with what it includes in the places where it includes it, so that of two values the same
 * one counts as in git. Of the conditions `gitdir` and `gitdir/i` are known; others do not hold.
 *
 * @throws when the file is not there or cannot be read; an included one is left out then
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

/** A folder in a pattern, where its own `*` and brackets mean themselves. */
function literal(folder: string): string {
  return folder.replaceAll('\\', '/').replaceAll(/[*?[\](){}!+@|]/g, '\\$&');
}
