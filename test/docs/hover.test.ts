import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type {
  AttachmentStoreOptions,
  ExecuteSandboxScriptToolOptions,
  HostFunctionOptions,
  settingsSchema,
  SettingsInput,
} from '@mustard-sandbox/agent-tool';
import type { LimitOptions, SandboxOptions, ScopeOptions } from '@mustard-sandbox/client';
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import type * as z from 'zod';
import type { constructorOptionsSchema } from '../../packages/agent-tool/src/attachments/arguments.ts';
import type { sandboxOptionsSchema } from '../../packages/sandbox-client/src/options.ts';
import type { limitOptionsSchema } from '../../packages/protocol/src/limits.ts';
import type { scopeSchema } from '../../packages/protocol/src/messages/scope.ts';
import { root } from './blocks.ts';

/** What someone writes who uses the packages; the cursor is put on each option. */
const program = `import { AttachmentStore, createExecuteSandboxScriptTool, prepareUserMessage } from '@mustard-sandbox/agent-tool';
import { createSandbox } from '@mustard-sandbox/client';
import { serveMcp } from '@mustard-sandbox/mcp-server';
const sandbox = createSandbox({ maxProcesses: 1, isolation: 'auto', limits: { heapBytes: 1 } });
await sandbox.run({ script: '1', scope: { attachments: [], maxReadBytes: 1 }, limits: { callDepth: 3 } });
const store = new AttachmentStore('.', { lockWaitMs: 1 });
const handler = () => 1;
createExecuteSandboxScriptTool({
  appPath: '.',
  hostFunctions: { ask: { handler, declaration: '' } },
  limits: { instructions: 1 },
  settings: { enabled: true },
});
await prepareUserMessage({ mode: 'default-chat', text: '', sizeThreshold: '1KB' });
await serveMcp({ onProblem: () => {} });
`;
// Not in the repository, where an editor goes to the sources instead of to what is published.
const folder = mkdtempSync(join(tmpdir(), 'mustard-hover-'));
const file = pathToFileURL(join(folder, 'someone.ts')).href;

let child: ReturnType<typeof spawn>;
let connection: MessageConnection;
beforeAll(async () => {
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const server = spawn(process.execPath, [tsc, '--lsp', '--stdio'], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
  child = server;
  connection = createMessageConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  // It asks for files to be watched.
  connection.onRequest(() => null);
  connection.listen();
  await connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: {},
  });
  await connection.sendNotification('initialized', {});
  const textDocument = { uri: file, languageId: 'typescript', version: 1, text: program };
  await connection.sendNotification('textDocument/didOpen', { textDocument });
});
afterAll(() => {
  connection.dispose();
  child.kill();
  rmSync(folder, { recursive: true });
});

test.each([
  ['maxProcesses', /Scripts that run at the same time/],
  ['isolation', /How sidecars are confined/],
  ['limits', /Limits for runs that do not set their own/],
  ['heapBytes', /memory that the script's values may hold/],
  ['callDepth', /Depth of nested calls/],
  ['instructions', /[Bb]ytecode instructions/],
  ['script', /Its value is that of the last statement/],
  ['attachments', /attachments:<name>/],
  ['maxReadBytes', /one `read_file`/i],
  ['lockWaitMs', /How long to wait for other processes/],
  ['appPath', /The folder that scripts may read in/],
  ['declaration', /TypeScript, for the model/],
  ['enabled', /Whether the model may run scripts/],
  ['sizeThreshold', /without a question/],
  ['onProblem', /problems that the client cannot be told/],
])('an editor says what %s is', async (option, meaning) => {
  const index = program.indexOf(`${option}:`);
  const before = program.slice(0, index).split('\n');
  const position = { line: before.length - 1, character: before.at(-1)!.length + 1 };
  const hover: { contents: { value: string } | string } = await connection.sendRequest('textDocument/hover', {
    textDocument: { uri: file },
    position,
  });
  expect(JSON.stringify(hover)).toMatch(meaning);
});

test('the published types are those that the schemas infer', () => {
  expectTypeOf<SandboxOptions>().toEqualTypeOf<z.input<typeof sandboxOptionsSchema>>();
  expectTypeOf<LimitOptions>().toEqualTypeOf<z.input<typeof limitOptionsSchema>>();
  expectTypeOf<ScopeOptions>().toEqualTypeOf<z.input<typeof scopeSchema>>();
  expectTypeOf<AttachmentStoreOptions>().toEqualTypeOf<z.input<typeof constructorOptionsSchema>>();
  type ToolOptions = ExecuteSandboxScriptToolOptions;
  expectTypeOf<SandboxOptions['limits']>().toEqualTypeOf<LimitOptions | undefined>();
  expectTypeOf<ToolOptions['limits']>().toEqualTypeOf<LimitOptions | undefined>();
  expectTypeOf<ToolOptions['settings']>().toEqualTypeOf<SettingsInput | (() => SettingsInput) | undefined>();
  expectTypeOf<ToolOptions['hostFunctions']>().toEqualTypeOf<Record<string, HostFunctionOptions> | undefined>();
  expectTypeOf<SettingsInput>().toEqualTypeOf<z.input<typeof settingsSchema>>();
});
