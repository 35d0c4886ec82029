import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../files/support.ts';
import { runExample } from './support.ts';

const tree = {
  'index.js': "import { send } from './lib/send.js';\nsend(1);\nresend(2);\n",
  'lib/send.js': 'export function send(x) {\n  return x;\n}\n',
  'lib/deep/er/use.ts': 'const a = send (1), b = send?.(2);\nsender(); $send(); this.send(3);\n',
  'lib/notes.md': 'send(1)\n',
  'node_modules/x/index.js': 'send(1);\n',
  'empty.js': '',
  'last.js': '// no line break\nsend(4)',
  'binary.js': Uint8Array.of(0, 1, 2, 255),
  'big.js': `${'// padding\n'.repeat(150_000)}send(5);\n${'// padding\n'.repeat(150_000)}send(6);\n`,
};

const sites = [
  { path: 'big.js', line: 150_001, text: 'send(5);' },
  { path: 'big.js', line: 300_002, text: 'send(6);' },
  { path: 'index.js', line: 2, text: 'send(1);' },
  { path: 'last.js', line: 2, text: 'send(4)' },
  { path: 'lib/deep/er/use.ts', line: 1, text: 'const a = send (1), b = send?.(2);' },
  { path: 'lib/deep/er/use.ts', line: 2, text: 'sender(); $send(); this.send(3);' },
];

describe('call-sites.js', () => {
  test('finds calls and nothing else', async () => {
    const { value } = await runExample('call-sites.js', {
      scope: { root: makeFolder(tree) },
      inputs: { name: 'send' },
    });
    expect(value).toEqual({ files: 6, calls: 6, sites });
  });

  test('stays in a folder, among endings, and under a limit', async () => {
    const inputs = { name: 'send', dir: 'lib', extensions: ['.ts', '.md'], limit: 2 };
    const { value } = await runExample('call-sites.js', { scope: { root: makeFolder(tree) }, inputs });
    expect(value).toMatchObject({ files: 2, calls: 3, sites: { length: 2 } });
  });

  test('names with a dollar sign', async () => {
    const scope = { root: makeFolder({ 'a.js': '$(1);\nx$(2);\n' }) };
    const { value } = await runExample('call-sites.js', { scope, inputs: { name: '$' } });
    expect(value).toMatchObject({ sites: [{ path: 'a.js', line: 1, text: '$(1);' }] });
  });

  test('in the sources of this repository', async () => {
    const root = fileURLToPath(new URL('../../packages/sandbox-daemon/src', import.meta.url));
    const expected = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .flatMap(({ parentPath, name }) => callsIn(root, join(parentPath, name)));
    const { value } = await runExample('call-sites.js', { scope: { root }, inputs: { name: 'parse' } });
    const { sites } = value as { sites: { path: string; line: number }[] };
    const found = sites.map(({ path, line }) => `${path}:${line}`);
    expect(expected.length).toBeGreaterThan(3);
    expect(found.toSorted()).toEqual(expected.toSorted());
  });
});

function callsIn(root: string, path: string): string[] {
  const name = relative(root, path).split(sep).join('/');
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      /(?<![\w$])parse\s*\(/.test(line) && !line.includes('function parse(') ? [`${name}:${index + 1}`] : [],
    );
}
