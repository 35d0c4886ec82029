import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errorNumbers, notifications, requests } from '@mustard-sandbox/protocol';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliInProcess } from '../cli/in-process.ts';
import { root } from './blocks.ts';
import { brokenLinks } from './links.ts';

interface Manifest {
  name: string;
  exports: Record<string, string | { types: string }>;
}

const generator = join(root, 'scripts/docs/index.mjs');

/** A tree like the repository's, because the pages of the reference link to the others. */
let tree: string;
let folder: string;
beforeAll(async () => {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  tree = mkdtempSync(join(cache, 'reference-'));
  folder = join(tree, 'docs/reference');
  cpSync(join(root, 'docs'), join(tree, 'docs'), {
    recursive: true,
    filter: (path) => path !== join(root, 'docs/reference'),
  });
  symlinkSync(join(root, 'test'), join(tree, 'test'), 'junction');
  // Fails where an export, or a field of an options object, has no docstring.
  await execa(process.execPath, [generator, '--out', folder], { cwd: root });
});
afterAll(() => rmSync(tree, { recursive: true, force: true }));

const read = (page: string): string => readFileSync(join(folder, page), 'utf8');

describe('the reference that npm run docs writes', () => {
  it('has a page for each package with types', () => {
    const manifests = readdirSync(join(root, 'packages')).map(
      (name) => JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest,
    );
    const typed = manifests.filter(({ exports }) => Object.values(exports).some((path) => typeof path === 'object'));
    const scoped = typed.flatMap(({ name }) => name.split('/')[1] ?? []);
    expect(readdirSync(join(folder, 'api')).toSorted()).toEqual(scoped.map((name) => `${name}.md`).toSorted());
  });

  it('links only to what is there, and leaves no placeholder', () => {
    const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
    for (const page of pages) {
      expect(brokenLinks(join(folder, page)), page).toEqual([]);
      expect(read(page), page).not.toMatch(/\{\{[\w :]+\}\}/);
    }
  });

  it('has every method of the protocol, every error number and every field', () => {
    const page = read('protocol.md');
    for (const method of [...Object.keys(requests), ...Object.keys(notifications)])
      expect(page).toContain(`### ${method}\n`);
    for (const [code, number] of Object.entries(errorNumbers))
      expect(page).toMatch(new RegExp(`\\| ${number} +\\| \`${code}\``));
    const fields = Object.values(requests).flatMap(({ params }) => Object.keys(params.shape));
    for (const field of fields) expect(page).toMatch(new RegExp(`^\\| \`${field}\``, 'm'));
  });

  it('has the messages of a real session', () => {
    expect(read('protocol.md').match(/^Content-Length: \d+/gm)?.length ?? 0).toBeGreaterThan(0);
    expect(read('protocol.md').match(/^```json/gm)?.length ?? 0).toBeGreaterThan(10);
  });

  it('has the help of every command, as it is printed', async () => {
    const page = read('cli.md');
    const { stdout } = await cliInProcess(['--help']);
    const list = stdout.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '';
    const names = [...list.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name as string);
    expect(names).toEqual(expect.arrayContaining(['run', 'repl', 'attach', 'ls', 'clean', 'message', 'validate']));
    for (const name of names.filter((each) => each !== 'help')) {
      expect(page).toContain((await cliInProcess([name, '--help'])).stdout.trim());
    }
  });
});
