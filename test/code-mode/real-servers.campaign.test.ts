import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ServerOptions } from '@mustard-sandbox/code-mode';
import { describe, expect, test } from 'vitest';
import { folder } from '../runs/support.ts';
import { codeMode, valueOf } from './support.ts';

const require = createRequire(import.meta.url);

/** A server as it is published. */
function published(name: string, args: string[], env: Record<string, string> = {}): ServerOptions {
  const manifest = require.resolve(`@modelcontextprotocol/server-${name}/package.json`);
  return { command: process.execPath, args: [join(dirname(manifest), 'dist/index.js'), ...args], env };
}

function servers(files: string): Record<string, ServerOptions> {
  return {
    everything: published('everything', ['stdio']),
    memory: published('memory', [], { MEMORY_FILE_PATH: join(files, 'memory.jsonl') }),
    fs: published('filesystem', [files]),
  };
}

describe('servers from the registry', () => {
  test('work together in one script, which waits for a person and outlives its host', async () => {
    const files = folder();
    const { tool, again } = await codeMode({ mcp: servers(files) });
    expect(tool.description).toContain('declare namespace everything');
    const script = `const { content } = await fs.write_file({ path: ${JSON.stringify(join(files, 'a.txt'))}, content: 'seven' });
const entities = [{ name: 'a.txt', entityType: 'file', observations: [content] }];
await memory.create_entities({ entities });
const [text, graph, sum] = await Promise.all([
  fs.read_text_file({ path: ${JSON.stringify(join(files, 'a.txt'))} }),
  memory.read_graph(),
  everything.get_sum({ a: 3, b: 4 }),
]);
[text.content, graph.entities.map(({ name }) => name), sum]`;
    const first = await tool.execute({ script });
    expect(first).toMatchObject({ status: 'waiting', calls: [{ tool: 'fs.write_file', state: 'approval' }] });
    expect(existsSync(join(files, 'a.txt'))).toBe(false);
    await tool.close();

    const other = await again();
    const second = await other.resume(first.run, [{ id: 1, approve: true, by: 'ann' }]);
    expect(second).toMatchObject({ status: 'waiting', calls: [{ tool: 'memory.create_entities' }] });
    expect(readFileSync(join(files, 'a.txt'), 'utf8')).toBe('seven');
    const done = await other.resume(first.run, [{ id: 2, approve: true }]);
    expect(done, done.text).toMatchObject({ status: 'completed' });
    expect((done as { value: unknown }).value).toEqual([
      'seven',
      ['a.txt'],
      expect.stringMatching(/sum of 3 and 4 is 7/),
    ]);
    const audit = await other.runs.audit(first.run);
    expect(audit.map((record) => record.tool)).toEqual([
      ...['fs.write_file', 'memory.create_entities', 'fs.read_text_file', 'memory.read_graph', 'everything.get_sum'],
    ]);
  }, 60_000);

  test('say what is wrong, before a script runs and in it', async () => {
    const { tool } = await codeMode({ mcp: servers(folder()) });
    const wrong = await tool.execute({ script: `await everything.get_sum({ a: 3, b: 'four' })` });
    expect(wrong).toMatchObject({ status: 'failed', problem: { code: 'check_failed' } });
    expect(wrong.text).toMatch(/b: must be a number, and is 'four'|b: must be a number, and is "four"/);
    const outside = `await fs.read_text_file({ path: '/etc/passwd' }).catch((error) => error.code)`;
    expect(await valueOf(tool, outside)).toBe('tool_failed');
  }, 60_000);
});
