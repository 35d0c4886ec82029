import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { boundaries } from '../../scripts/house/boundaries.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));
let root: string;
let found: { code: string; filename: string }[];

const protocol = 'packages/protocol/src';
const paths = 'packages/paths/src';
const daemon = 'packages/sandbox-daemon/src';
const client = 'packages/sandbox-client/src';
const tool = 'packages/agent-tool/src';
const mcpServer = 'packages/mcp-server/src';
const bashTools = 'packages/bash-tools/src';
const remote = 'packages/remote/src';
const cards = 'packages/cards/src';
const cli = 'packages/cli/src';
const agent = 'packages/desktop-agent/src';

const use = (specifier: string): string => `import * as it from '${specifier}';\nexport const used = it;\n`;
const used = (specifier: string): string => `import * as other from '${specifier}';\nexport const both = other;\n`;
const boundary = 'eslint(no-restricted-imports)';
const rules = '.oxlintrc.rooms.json';

/** One file a rule, and the rules that it must break. */
const cases: [file: string, source: string, rules: string[]][] = [
  [`${daemon}/engine/mustardscript/binding.ts`, use('@mustardscript/binding-linux-x64-gnu'), []],
  [`${daemon}/engine/other.ts`, use('@mustardscript/binding-linux-x64-gnu'), [boundary]],
  [`${daemon}/server/ok.ts`, use('@mustard-sandbox/protocol') + used('@mustard-sandbox/protocol/sidecar'), []],
  [`${daemon}/server/relative.ts`, use('../../../protocol/src/index.ts'), [boundary]],
  [`${daemon}/server/client.ts`, use('@mustard-sandbox/client'), [boundary]],
  [`${protocol}/ok.ts`, use('./methods.ts'), []],
  [`${protocol}/engine.ts`, use('../../sandbox-daemon/src/engine/mustardscript/binding.ts'), [boundary]],
  [`${protocol}/addon.ts`, use('@mustardscript/binding-linux-x64-gnu'), [boundary]],
  [`${protocol}/paths.ts`, use('@mustard-sandbox/paths'), [boundary]],
  [`${paths}/ok.ts`, use('@mustard-sandbox/protocol'), []],
  [`${paths}/client.ts`, use('@mustard-sandbox/client'), [boundary]],
  [`${client}/ok.ts`, use('@mustard-sandbox/protocol') + used('@mustard-sandbox/paths'), []],
  [`${client}/sidecar.ts`, use('@mustard-sandbox/protocol/sidecar'), [boundary]],
  [`${client}/addon.ts`, use('@mustardscript/binding-linux-x64-gnu'), [boundary]],
  [`${client}/wrapper.ts`, use('mustardscript'), [boundary]],
  [`${client}/main.ts`, use('@mustard-sandbox/daemon/main'), [boundary]],
  [`${client}/deep.ts`, use('@mustard-sandbox/daemon/dist/engine/mustardscript/binding.js'), [boundary]],
  [`${client}/relative.ts`, use('../../sandbox-daemon/src/engine/mustardscript/binding.ts'), [boundary]],
  [`${client}/tool.ts`, use('@mustard-sandbox/agent-tool'), [boundary]],
  [`${client}/cli.ts`, use('mustard-sandbox'), [boundary]],
  [`${tool}/ok.ts`, use('@mustard-sandbox/client'), []],
  [`${tool}/daemon.ts`, use('@mustard-sandbox/daemon/main'), [boundary]],
  [`${tool}/relative.ts`, use('../../sandbox-client/src/index.ts'), [boundary]],
  [`${tool}/cli.ts`, use('mustard-sandbox'), [boundary]],
  [`${cli}/client.ts`, use('@mustard-sandbox/client'), []],
  [`${cli}/tool.ts`, use('@mustard-sandbox/agent-tool'), []],
  [`${cli}/mcp.ts`, use('@mustard-sandbox/mcp-server'), []],
  [`${cli}/relative.ts`, use('../../mcp-server/src/index.ts'), [boundary]],
  [`${tool}/mcp.ts`, use('@mustard-sandbox/mcp-server'), [boundary]],
  [`${mcpServer}/ok.ts`, use('@mustard-sandbox/agent-tool') + used('@mustard-sandbox/agent-tool/host'), []],
  [`${mcpServer}/client.ts`, use('@mustard-sandbox/client'), []],
  [`${mcpServer}/daemon.ts`, use('@mustard-sandbox/daemon/main'), [boundary]],
  [`${mcpServer}/relative.ts`, use('../../agent-tool/src/index.ts'), [boundary]],
  [`${mcpServer}/cards.ts`, use('@mustard-sandbox/cards'), [boundary]],
  [`${bashTools}/ok.ts`, use('@mustard-sandbox/client/isolation') + used('@mustard-sandbox/paths'), []],
  [`${bashTools}/host.ts`, use('@mustard-sandbox/agent-tool/host'), []],
  [`${bashTools}/mcp.ts`, use('@mustard-sandbox/mcp-server'), [boundary]],
  [`${tool}/isolation.ts`, use('@mustard-sandbox/client/isolation'), [boundary]],
  [`${remote}/ok.ts`, use('@mustard-sandbox/client/peer') + used('@mustard-sandbox/agent-tool/host'), []],
  [`${remote}/daemon.ts`, use('@mustard-sandbox/daemon/main'), [boundary]],
  [`${remote}/mcp.ts`, use('@mustard-sandbox/mcp-server'), [boundary]],
  [`${tool}/peer.ts`, use('@mustard-sandbox/client/peer'), [boundary]],
  [`${cards}/types.ts`, `export type { ScriptRecord } from '@mustard-sandbox/agent-tool';\n`, []],
  [`${cards}/values.ts`, use('@mustard-sandbox/agent-tool'), [boundary]],
  [`${cards}/client.ts`, use('@mustard-sandbox/client'), [boundary]],
  [`${cards}/node.ts`, use('node:fs'), [boundary]],
  [`${agent}/server/ok.ts`, use('@mustard-sandbox/agent-tool/host') + used('@mustard-sandbox/paths'), []],
  [`${agent}/server/page.ts`, use('../page/transport.ts'), [boundary]],
  [`${agent}/server/cards.ts`, use('@mustard-sandbox/cards'), [boundary]],
  [`${agent}/server/daemon.ts`, use('@mustard-sandbox/daemon/main'), [boundary]],
  [`${agent}/shared/contract/ok.ts`, use('./model.ts'), []],
  [`${agent}/shared/contract/node.ts`, use('node:fs'), [boundary]],
  [`${agent}/shared/contract/server.ts`, use('../../server/program.ts'), [boundary]],
  [`${agent}/server/changes/ok.ts`, use('node:fs') + used('../../shared/tags/parse.ts'), []],
  [`${agent}/shared/tags/node.ts`, use('node:fs'), [boundary]],
  [`${agent}/page/ok.ts`, use('../shared/contract/index.ts') + used('../shared/tags/parse.ts'), []],
  [`${agent}/page/server.ts`, use('../server/program.ts'), [boundary]],
  [`${agent}/page/changes.ts`, use('../server/changes/apply.ts'), [boundary]],
  [`${agent}/page/tool.ts`, use('@mustard-sandbox/agent-tool'), [boundary]],
  [`${agent}/page/node.ts`, use('node:fs'), [boundary]],
  [`${cli}/daemon.ts`, use('@mustard-sandbox/daemon/main'), [boundary]],
  [`${cli}/console.ts`, `console.log('the command prints');\n`, []],
  [`${client}/console.ts`, `console.log('a library does not');\n`, ['eslint(no-console)']],
  ['test/addon.ts', use('@mustardscript/binding-linux-x64-gnu'), [boundary]],
  [`${tool}/floating.ts`, `Promise.resolve(1);\n`, ['typescript(no-floating-promises)']],
  [`${tool}/misused.ts`, `if (Promise.resolve(false)) process.exit();\n`, ['typescript(no-misused-promises)']],
  [`${tool}/egg.ts`, `import type { Hen } from './hen.ts';\nexport type Egg = Hen[];\n`, ['import(no-cycle)']],
  [`${tool}/hen.ts`, `import type { Egg } from './egg.ts';\nexport type Hen = Egg[];\n`, ['import(no-cycle)']],
  [`${tool}/any.ts`, `export const anything: any = 1;\n`, ['typescript(no-explicit-any)']],
];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'boundaries-'));
  for (const file of ['.oxlintrc.json', rules]) await copyFile(join(repository, file), join(root, file));
  await writeFile(join(root, 'tsconfig.json'), '{ "compilerOptions": { "strict": true, "module": "nodenext" } }');
  for (const [file, source] of cases) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), source);
  }
  const { stdout } = await execa('oxlint', ['--type-aware', '--format=json'], {
    cwd: root,
    preferLocal: true,
    localDir: repository,
    reject: false,
  });
  const report = JSON.parse(stdout) as { diagnostics: typeof found };
  found = report.diagnostics.map(({ code, filename }) => ({ code, filename: filename.replaceAll('\\', '/') }));
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

test('the rules are those of the table of rooms; if not: npm run house', async () => {
  expect(await readFile(join(repository, rules), 'utf8')).toBe(await boundaries());
});

test.each(cases)('%s', (file, _source, broken) => {
  expect(found.filter(({ filename }) => filename === file).map(({ code }) => code)).toEqual(broken);
});

test('no source but those that find and load the binding names an addon in a string, so that createRequire cannot go around the rule', async () => {
  const folder = join(repository, 'packages');
  const entries = await readdir(folder, { recursive: true });
  const known = ['sandbox-daemon/src/engine/mustardscript/binding.ts', 'protocol/src/engine-support.ts'];
  const sources = entries
    .map((entry) => entry.split(sep).join('/'))
    .filter((entry) => /^[^/]+\/src\/.*\.ts$/.test(entry) && !known.includes(entry));
  expect(sources.length).toBeGreaterThan(5);
  const naming = await Promise.all(
    sources.map(async (source) => /['"`]@mustardscript\//.test(await readFile(join(folder, source), 'utf8'))),
  );
  expect(sources.filter((_, index) => naming[index])).toEqual([]);
});

test('what hosts load only looks for the binding and cannot load it', async () => {
  const usesIn = async (file: string): Promise<string[]> => {
    const source = await readFile(join(repository, protocol, file), 'utf8');
    return source.match(/(?:createRequire|resolvePackage|\bimport)\(.*/g) ?? [];
  };
  expect(await usesIn('engine-support.ts')).toEqual([
    'resolvePackage(`${packageName}/package.json`, import.meta.url);',
  ]);
  expect(await usesIn('resolve-package.ts')).toEqual([
    'resolvePackage(specifier: string, from: string | URL): string {',
    'createRequire(from).resolve(specifier);',
  ]);
});
