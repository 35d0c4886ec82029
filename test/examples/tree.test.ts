import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../files/support.ts';
import { attach, runExample } from './support.ts';

const sources = fileURLToPath(new URL('../../packages/sandbox-daemon/src', import.meta.url));
/** With `/`, relative to the folder. */
const paths = readdirSync(sources, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(sources, join(parentPath, name)).split(sep).join('/'));

/** More than a script reads at a time, in few lines: the engine takes long for many. */
const padding = `// ${'nothing '.repeat(100)}\n`.repeat(2_000);

interface Found {
  shown: { path: string; line: number; [key: string]: unknown }[];
  [key: string]: unknown;
}

describe('todo-inventory.js', () => {
  test('finds notes with owner and text', async () => {
    const root = makeFolder({
      'a.ts': 'x(); // TODO(anna): größer\r\n/* FIXME later */\nTODOS are none\n',
      'b/big.py': `${padding}# TODO: far away\n`,
      'b/binary': Uint8Array.of(0, 1, 255),
      'empty.js': '',
    });
    const { value } = await runExample('todo-inventory.js', { scope: { root } });
    expect(value).toEqual({
      files: 3,
      notes: 3,
      byTag: { TODO: 2, FIXME: 1, HACK: 0, XXX: 0 },
      byFile: [
        { path: 'a.ts', notes: 2 },
        { path: 'b/big.py', notes: 1 },
      ],
      shown: [
        { path: 'a.ts', line: 1, tag: 'TODO', owner: 'anna', text: 'größer' },
        { path: 'a.ts', line: 2, tag: 'FIXME', text: 'later' },
        { path: 'b/big.py', line: 2_001, tag: 'TODO', text: 'far away' },
      ],
    });
  });

  test('counts words in the sources of this repository', async () => {
    const inputs = { tags: ['import', 'export'], limit: 0, top: 3 };
    const { value } = await runExample('todo-inventory.js', { scope: { root: sources }, inputs });
    const byTag = { import: 0, export: 0 };
    for (const line of paths.flatMap((path) => readFileSync(join(sources, path), 'utf8').split('\n'))) {
      const tag = /\b(import|export)\b/.exec(line)?.[1] as keyof typeof byTag | undefined;
      if (tag !== undefined) byTag[tag]++;
    }
    expect(value).toMatchObject({ files: paths.length, byTag, notes: byTag.import + byTag.export, shown: [] });
  });
});

describe('largest-files.js', () => {
  test('ranks the files and folders of this repository', async () => {
    const { value } = await runExample('largest-files.js', { scope: { root: sources }, inputs: { top: 5 } });
    const files = paths.map((path) => ({ path, bytes: statSync(join(sources, path)).size }));
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const largest = files.map((file) => file.bytes).toSorted((a, b) => b - a);
    const found = value as { largestFiles: typeof files; largestFolders: (typeof files)[number][] };
    expect(value).toMatchObject({ files: paths.length, bytes });
    expect(found.largestFiles.map((file) => file.bytes)).toEqual(largest.slice(0, 5));
    for (const file of found.largestFiles) expect(files).toContainEqual(file);
    expect(found.largestFolders[0]).toEqual({ path: '.', bytes, files: paths.length });
    for (const folder of found.largestFolders.slice(1)) {
      const inside = files.filter(({ path }) => path.startsWith(folder.path));
      expect(folder).toEqual({
        path: folder.path,
        bytes: inside.reduce((sum, file) => sum + file.bytes, 0),
        files: inside.length,
      });
    }
  });

  test('tells kinds of files', async () => {
    const root = makeFolder({ 'a.js': '123', 'b/c.js': '45', 'b/Makefile': '6', '.hidden': '' });
    const { value } = await runExample('largest-files.js', { scope: { root } });
    const { kinds } = value as { kinds: { ending: string; bytes: number; files: number }[] };
    expect(kinds).toEqual([
      { ending: 'js', bytes: 5, files: 2 },
      { ending: '', bytes: 1, files: 2 },
    ]);
  });
});

/** Put together here, so that no scanner takes this file for one with secrets. */
const glue = (...parts: string[]): string => parts.join('');
const password = 'hunter22';
const secrets = {
  'AWS access key': glue('AKIA', 'ABCDEFGH23456789'),
  'GitHub token': `ghp_${'a1B2'.repeat(9)}`,
  'GitLab token': `glpat-${'x1Y2'.repeat(5)}`,
  'Slack token': glue('xoxb-', '12345-abcde'),
  'Google API key': `AIza${'SyA1b'.repeat(7)}`,
  'Stripe key': `sk_live_${'a1B2'.repeat(6)}`,
  'npm token': `npm_${'a1B2'.repeat(9)}`,
  'API key': `sk-${'a1B2'.repeat(12)}`,
  'JSON web token': glue('eyJ', 'hbGciOiJI.', 'eyJ', 'zdWIiOiIx.', 'c2lnbmF0dXJl'),
  'password in an address': `postgres://anna:${password}@db.example`,
  'password in a setting': `password = "${'correct horse'.replace(' ', '-')}"`,
  'private key': glue('-----BEGIN ', 'RSA PRIVATE', ' KEY-----'),
};

describe('secrets-scan.js', () => {
  test.each([false, true])('finds each kind without showing it (in attachments: %s)', async (attached) => {
    const lines = Object.values(secrets).flatMap((secret) => ['größer', `x = ${secret}`]);
    const text = `${padding}${lines.join('\r\n')}`;
    const scope = attached ? attach('notes.txt', text) : { root: makeFolder({ 'lib/notes.txt': text }) };
    const inputs = attached ? {} : { dir: '.' };
    const { value } = await runExample('secrets-scan.js', { scope, inputs });
    const { shown, ...rest } = value as unknown as Found;
    const count = Object.keys(secrets).length;
    expect(rest).toMatchObject({ files: 1, findings: count });
    const path = attached ? 'attachments:notes.txt' : 'lib/notes.txt';
    const expected = Object.keys(secrets).map((kind, index) => ({ path, kind, line: 2_000 + 2 * (index + 1) }));
    const found = shown.map(({ path, kind, line }) => ({ path, kind, line }));
    expect(found.toSorted((a, b) => a.line - b.line)).toEqual(expected);
    for (const secret of Object.values(secrets)) expect(JSON.stringify(value)).not.toContain(secret.slice(-8));
  });

  test('finds nothing in the sources of this repository', async () => {
    const { value } = await runExample('secrets-scan.js', { scope: { root: sources }, inputs: { dir: '.' } });
    expect(value).toEqual({ files: paths.length, findings: 0, byKind: {}, shown: [] });
  });

  test('is not misled by what only looks alike', async () => {
    const text =
      'password = "${PASSWORD}"\nhttps://example.com/a:b@c\ntask-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nsecret: null\n';
    const { value } = await runExample('secrets-scan.js', { scope: attach('a', text) });
    expect(value).toMatchObject({ findings: 0 });
  });
});

describe('config-audit.js', () => {
  const risky: [string, string, string, string][] = [
    ['app.yaml', 'debug: true', 'debug mode is on', 'debug'],
    ['a.ini', 'DEBUG=1', 'debug mode is on', 'DEBUG'],
    ['b.json', '  "rejectUnauthorized": false,', 'certificates are not checked', 'rejectUnauthorized'],
    ['c.toml', 'ssl_verify = false', 'certificates are not checked', 'ssl_verify'],
    ['d.yml', 'insecureSkipVerify: true', 'security is switched to insecure', 'insecureSkipVerify'],
    ['e.conf', 'auth_enabled=off', 'authentication is off', 'auth_enabled'],
    ['f.yml', 'host: 0.0.0.0', 'listens on all addresses', 'host'],
    ['g.json', '"allowedOrigins": ["*"]', 'any origin is allowed', 'allowedOrigins'],
    ['h.yml', 'privileged: true', 'a container has all rights', 'privileged'],
    ['i.cfg', 'umask = 0777', 'files are open to everybody', 'umask'],
    ['j.properties', `db.password=${password}`, 'a password or key is written out', 'db.password'],
    ['k.yml', `url: postgres://anna:${password}@db`, 'a password is in an address', 'url'],
  ];

  test.each(risky)('%s: %s', async (path, line, rule, setting) => {
    const root = makeFolder({ [`deep/${path}`]: `name: größer\r\n${line}\r\nlast: 1` });
    const { value } = await runExample('config-audit.js', { scope: { root } });
    expect(value).toEqual({
      files: 1,
      findings: 1,
      byRule: { [rule]: 1 },
      shown: [{ path: `deep/${path}`, line: 2, rule, setting }],
    });
    expect(JSON.stringify(value)).not.toContain(password);
  });

  test.each([
    '# debug: true',
    'debug: false',
    'password: ${DB_PASSWORD}',
    'password = "<secret>"',
    '"author": "none"',
    'version: 10.0.0.0',
    'api_key:',
    'token: null',
    'tls_verify: true',
    'url: https://example.com/path@2',
  ])('says nothing of %s', async (line) => {
    const root = makeFolder({ 'a.yaml': `${line}\n`, 'b.txt': 'debug: true\n' });
    const { value } = await runExample('config-audit.js', { scope: { root } });
    expect(value).toMatchObject({ files: 1, findings: 0 });
  });

  test('of the configuration of this repository', async () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const inputs = { dir: 'packages', extensions: ['.json'] };
    expect((await runExample('config-audit.js', { scope: { root }, inputs })).value).toMatchObject({ findings: 0 });
  });
});
