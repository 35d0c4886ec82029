import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { root } from '../docs/blocks.ts';

const listing = async (...args: string[]) =>
  await execa(process.execPath, ['scripts/mcp-listing.mjs', ...args], { cwd: root, reject: false });

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'listing-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** What the registry's schema of 2025-12-11 asks of what is written here. */
const named = z.strictObject({
  type: z.literal('named'),
  name: z.string(),
  value: z.string().optional(),
  description: z.string().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
});
const positional = z.strictObject({ type: z.literal('positional'), value: z.string() });
const serverJson = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().max(255),
  packages: z.array(
    z.strictObject({
      registryType: z.enum(['npm', 'mcpb']),
      identifier: z.string(),
      version: z
        .string()
        .regex(/^\d+\.\d+\.\d+$/)
        .optional(),
      runtimeHint: z.literal('npx').optional(),
      fileSha256: z
        .string()
        .regex(/^[a-f0-9]{64}$/)
        .optional(),
      transport: z.strictObject({ type: z.literal('stdio') }),
      packageArguments: z.array(z.discriminatedUnion('type', [named, positional])).optional(),
    }),
  ),
});

const registered = 'io.github.someone/mustard-sandbox';
const { name, version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as {
  name: string;
  version: string;
};

test('server.json names the package of npm and each bundle that is there', async () => {
  const target = folder();
  writeFileSync(join(target, 'a.mcpb'), 'a bundle');
  const { exitCode, stderr } = await listing(target, '--name', registered, '--bundles-at', 'https://example.com/v1/');
  expect([exitCode, stderr]).toEqual([0, '']);
  const written = serverJson.parse(JSON.parse(readFileSync(join(target, 'server.json'), 'utf8')));
  expect(written).toMatchObject({ name: registered, version });
  expect(written.packages).toMatchObject([
    { registryType: 'npm', identifier: name, version },
    {
      registryType: 'mcpb',
      identifier: 'https://example.com/v1/a.mcpb',
      fileSha256: createHash('sha256').update('a bundle').digest('hex'),
    },
  ]);
});

test('every link and line of install.md starts the same server of this version', async () => {
  const target = folder();
  await listing(target, '--name', registered);
  const page = readFileSync(join(target, 'install.md'), 'utf8');
  const linkOf = (host: string) => new URL(new RegExp(`\\[Install in ${host}\\]\\((.+)\\)`).exec(page)?.[1] ?? '');
  const cursor = linkOf('Cursor').searchParams;
  const start = { command: 'npx', args: ['-y', `${name}@${version}`, 'mcp', '--consent', 'always'] };
  expect(cursor.get('name')).toBe(name);
  expect(JSON.parse(Buffer.from(cursor.get('config') ?? '', 'base64').toString())).toEqual(start);
  const code = linkOf('VS Code');
  expect(JSON.parse(decodeURIComponent(code.search.slice(1)))).toEqual({ name, type: 'stdio', ...start });
  const lines = [...page.matchAll(/```sh\n(.+)\n```/g)].map(([, line = '']) => line);
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['claude', 'codex', 'gemini']);
  for (const line of lines) expect(line).toContain(`npx ${start.args.join(' ')}`);
  const json = JSON.parse(/```json\n([^`]+)```/.exec(page)?.[1] ?? '') as { mcpServers: Record<string, unknown> };
  expect(json.mcpServers[name]).toEqual({ ...start, args: [...start.args, '--root', '/path/to/project'] });
});

test.each([
  [[], 'npm run mcp:listing -- DIR'],
  [['DIR', '--name', 'mustard'], 'Write one such as io.github.OWNER/NAME'],
  [['DIR', '--nam', 'a/b'], "Unknown option '--nam'"],
])('%j is answered by what to write', async (args, words) => {
  const { exitCode, stderr } = await listing(...args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(words);
});
