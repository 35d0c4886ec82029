import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { connect, main, makeFolder } from '../mcp/support.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8');

interface Block {
  heading: string;
  language: string;
  code: string;
}

const blocks: Block[] = text.split(/^#+ /m).flatMap((section) => {
  const heading = section.split('\n')[0] as string;
  return [...section.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language = '', code = '']) => ({
    heading,
    language,
    code,
  }));
});

const parsers: Record<string, (code: string) => unknown> = {
  json: (code) => JSON.parse(code),
  toml: parseToml,
  yaml: (code) => parseYaml(code),
};

/** What a configuration starts: the one object in it that has a command. */
function commandOf(value: unknown): string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { command, cmd, args } = value as { command?: string; cmd?: string; args?: string[] };
  const program = command ?? cmd;
  if (program !== undefined) return [program, ...(args ?? [])];
  return Object.values(value)
    .map(commandOf)
    .find((found) => found !== undefined);
}

const configured = blocks
  .filter(({ language }) => language in parsers)
  .map(({ heading, language, code }) => ({ heading, words: commandOf(parsers[language]?.(code)) ?? [] }));
const typed = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ heading, code }) =>
    code
      .trim()
      .split('\n')
      .map((line) => ({ heading, words: line.split(' ') })),
  );

/** What a server that is started so answers. Many clients are configured with the same words: one start is for all of them. */
const served = new Map<string, Promise<unknown>>();

async function serve(words: string[]): Promise<unknown> {
  const folder = makeFolder({ 'a.txt': 'a' });
  const args = words.map((word) => word.replace('/path/to/project', folder));
  // Those without --root are for clients that have roots.
  const { run } = await connect(args, { roots: () => [`file://${folder}`], asProcess: true });
  return (await run(`read_file('a.txt')`)).structuredContent.value;
}

describe('docs/mcp.md', () => {
  it('has a configuration for each well-known client', () => {
    const headings = [...configured, ...typed].flatMap(({ heading }) => heading.split(', '));
    const clients = [
      'Claude Code',
      'Claude Desktop',
      'Cursor',
      'VS Code',
      'Windsurf',
      'Zed',
      'Codex',
      'Gemini CLI',
      'Goose',
    ];
    expect(headings).toEqual(expect.arrayContaining(clients));
  });

  it.each([...configured, ...typed])('starts a server that runs scripts: $heading, $words', async ({ words }) => {
    const start = words.lastIndexOf('node');
    const end = words.indexOf('--method');
    const checkout = '/opt/mustard-sandbox/';
    expect(words.slice(start, start + 3)).toEqual(['node', expect.stringContaining(checkout), 'mcp']);
    expect(join(repository, (words[start + 1] as string).slice(checkout.length))).toBe(main);
    const args = words.slice(start + 3, end < 0 ? undefined : end);
    const key = JSON.stringify(args);
    const answer = served.get(key) ?? serve(args);
    served.set(key, answer);
    expect(await answer).toBe('a');
  });

  it('has a program that serves', async () => {
    const program = blocks.find(({ language }) => language === 'js')?.code ?? '';
    const client = new Client({ name: 'test', version: '1' });
    onTestFinished(() => client.close());
    const args = ['--input-type=module', '--eval', program];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: repository }));
    const script = `[read_file('attachments:readme', { length: 2 }), list_files().includes('package.json')]`;
    const answer = await client.callTool({ name: 'execute_sandbox_script', arguments: { script } });
    expect(answer.structuredContent).toMatchObject({ value: ['# ', true] });
  });
});
