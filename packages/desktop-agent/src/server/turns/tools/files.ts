// search and read_file, with which the model reads the app and attached files without asking a person. The sidecar reads,
// by its own rules.
import type { AttachmentSource, AttachmentTurn } from '@mustard-sandbox/agent-tool';
import { SandboxError, type Sandbox, type SandboxValue } from '@mustard-sandbox/client';
import { tool, type ToolSet } from 'ai';
import { z } from 'zod';
import type { Calls } from '../calls.ts';
import type { Turn } from '../turn.ts';
import type { PendingChanges } from './pending-changes.ts';
import { wordsOfReading } from './reading-words.ts';
import { ToolLine } from './tool-part.ts';

const maxRead = 200_000;
const maxMatches = 100;
const maxLineChars = 400;

/** Installed packages and builds are not part of the app, and would fill every answer. */
const notTheApp = ['node_modules', '.next', 'dist', 'build', 'coverage', '.dyad'].map((name) => `**/${name}/**`);

const searchInput = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(1_000)
    .describe('A regular expression of JavaScript. Each line is looked at by itself.'),
  glob: z
    .string()
    .max(500)
    .optional()
    .describe('Which files, such as src/**/*.ts, or attachments:<name>. Default: all of the app.'),
  ignoreCase: z.boolean().optional(),
});
const readInput = z.strictObject({
  path: z.string().min(1).max(4_096).describe('Relative to the app, or attachments:<name>.'),
  start: z.int().min(1).optional().describe('The first line, from 1.'),
  count: z.int().min(1).max(5_000).optional().describe('How many lines. Default: 2000.'),
});

const searchScript = `
const found = search(where, new RegExp(pattern, flags), { limit });
({ truncated: found.truncated === true, lines: found.map((one) => one.path + ':' + one.line + ': ' + one.text.slice(0, width)) });
`;
const readScript = `
const found = read_lines(path, { start, count: count + 1 });
({ more: found.length > count, text: found.slice(0, count).join('\\n') });
`;

export interface ReadFrom {
  sandbox: Sandbox;
  /** What this answer has proposed so far. It is read as if it were already in the app. */
  pending: PendingChanges;
  /** The files of the chat's messages. */
  sent: AttachmentSource;
  attached: AttachmentTurn;
}

/** The tools that read the app and attached files. */
export function fileTools(turn: Turn, { sandbox, pending, sent, attached }: ReadFrom, calls: Calls): ToolSet {
  const { app, live, signal } = turn;
  const run = async (script: string, inputs: Record<string, unknown>): Promise<SandboxValue> => {
    const attachments = (await sent.list()).map(({ name, path }) => ({ name, path, noLinks: true }));
    const scope = { root: app.path, deny: notTheApp, attachments };
    const { value, attachmentsRead } = await sandbox.run({
      script,
      inputs,
      scope,
      limits: { timeoutMs: 20_000 },
      signal,
    });
    for (const name of attachmentsRead) attached.markRead(name);
    return value;
  };
  const call = async (
    name: string,
    title: string,
    work: () => Promise<{ text: string; detail: string }>,
  ): Promise<string> => {
    const line = new ToolLine(live, name, title);
    try {
      const { text, detail } = await work();
      line.change({ state: 'done', detail });
      return text;
    } catch (error) {
      const attachments = await sent.list().catch(() => []);
      const words = wordsOfReading(
        error,
        attachments.map(({ name }) => name),
      );
      line.fail(words, signal);
      signal.throwIfAborted();
      // The model gets the error, because it can do something about it.
      return `It failed: ${words}`;
    }
  };
  return {
    search: tool({
      description: `Searches the files of the app, as they are on disk, or an attached file for lines that match. Gives at most ${maxMatches} as path:line: text. node_modules, builds and secrets are left out.`,
      inputSchema: searchInput,
      execute: async ({ pattern, glob = '.', ignoreCase = false }, { toolCallId }) => {
        await calls.seen(toolCallId, signal);
        return await call('search', `Search for ${pattern}`, async () => {
          const inputs = { where: glob, pattern, flags: ignoreCase ? 'i' : '', limit: maxMatches, width: maxLineChars };
          const { truncated, lines } = (await run(searchScript, inputs)) as { truncated: boolean; lines: string[] };
          const count = `${lines.length}${truncated ? '+' : ''} ${lines.length === 1 ? 'line' : 'lines'}`;
          const more = truncated ? '\n…(more: search for something narrower)' : '';
          return { text: lines.length === 0 ? 'Nothing matches.' : lines.join('\n') + more, detail: count };
        });
      },
    }),
    read_file: tool({
      description:
        'Reads lines of a text file of the app, or of an attached one. What you proposed in this answer is read as if it were there.',
      inputSchema: readInput,
      execute: async ({ path, start = 1, count = 2_000 }, { toolCallId }) => {
        await calls.seen(toolCallId, signal);
        return await call('read_file', `Read ${path}`, async () => {
          const read = path.startsWith('attachments:') ? { state: 'on-disk' as const, path } : pending.read(path);
          if (read.state === 'gone')
            throw new SandboxError('script_error', `${path}: this answer proposes to remove it`);
          const { more, text } =
            read.state === 'written'
              ? linesOf(read.content, start, count)
              : ((await run(readScript, { path: read.path, start, count })) as { more: boolean; text: string });
          const shown = text.length > maxRead ? text.slice(0, maxRead) : text;
          const isCut = more || shown.length < text.length;
          const lines = shown === '' ? 0 : shown.split('\n').length;
          return {
            text: isCut ? `${shown}\n…(more: read on from line ${start + lines})` : shown,
            detail: `${lines} ${lines === 1 ? 'line' : 'lines'}`,
          };
        });
      },
    }),
  };
}

function linesOf(content: string, start: number, count: number): { more: boolean; text: string } {
  const lines = content.replace(/\n$/, '').split('\n');
  return { more: lines.length > start - 1 + count, text: lines.slice(start - 1, start - 1 + count).join('\n') };
}
