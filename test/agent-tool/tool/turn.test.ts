import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAttachmentTurn, type AttachmentTurn, type ExecuteSandboxScriptTool } from '@mustard-sandbox/agent-tool';
import { SandboxError } from '@mustard-sandbox/client';
import { makeFolder } from '../../files/support.ts';
import { recorder, toolFor } from './support.ts';

interface Setting {
  tool: ExecuteSandboxScriptTool;
  turn: AttachmentTurn;
  types: () => string[];
  events: unknown[];
}

/** A turn that brought two files; an older one is there as well. */
function setting(): Setting {
  const folder = makeFolder({ 'a.txt': 'a', 'b.txt': 'b', 'older.txt': 'c' });
  const { events, listen, types } = recorder();
  const attachments = ['a.txt', 'b.txt', 'older.txt'].map((name) => join(folder, name));
  const tool = toolFor({ attachments, appPath: folder, limits: { timeoutMs: 300 } });
  return { tool, turn: createAttachmentTurn({ attachments: ['a.txt', 'b.txt'], events: listen }), types, events };
}

describe('a turn in which nothing of its attachments was read', () => {
  test('is told, once, with words for the user', () => {
    const { turn, events } = setting();
    turn.end();
    turn.end();
    turn[Symbol.dispose]();
    expect(events).toEqual([
      {
        type: 'sandbox.tool.unused_with_attachment',
        at: expect.any(String) as string,
        attachments: ['a.txt', 'b.txt'],
        message: "Your model didn't read the file — try a larger model or paste the contents inline.",
      },
    ]);
  });

  test.each([
    ['only looks at what there is', 'list_files("attachments:").length + file_stats("attachments:older.txt").size'],
    ['reads another attachment', 'read_file("attachments:older.txt")'],
    ['reads a file of the project', 'read_file("a.txt")'],
    ['fails before it reads', 'nothing; read_file("attachments:a.txt")'],
    ['does not compile', 'import("x"); read_file("attachments:a.txt")'],
    ['crashes, and names none of them', "'a'.repeat(500000000).length"],
  ])('is one whose script %s', async (_, script) => {
    const { tool, turn, types } = setting();
    await tool.execute({ script }, { turn });
    turn.end();
    expect(types()).toEqual(['sandbox.tool.unused_with_attachment']);
  });
});

describe('a turn in which one of them was read', () => {
  test.each([
    ['asks for its size', 'file_stats("attachments:a.txt").size'],
    ['reads it', 'read_file("attachments:b.txt")'],
    ['reads it and fails', 'read_file("attachments:b.txt"); nothing'],
    ['reads it by a computed name', 'const name = list_files("attachments:")[0]; read_file(name)'],
    ['reads it and takes too long', 'read_file("attachments:b.txt"); while (true) {}'],
    ['names it and crashes, when nobody can tell', "read_file('attachments:b.txt'); 'a'.repeat(500000000).length"],
  ])('is one whose script %s', async (_, script) => {
    const { tool, turn, types } = setting();
    await tool.execute({ script: '1' }, { turn });
    await tool.execute({ script }, { turn });
    turn.end();
    expect(types()).toEqual([]);
  });

  test.each(['a.txt', 'attachments:a.txt'])('is one in which another tool read %s', (name) => {
    const { turn, types } = setting();
    turn.markRead(name);
    turn.end();
    expect(types()).toEqual([]);
  });
});

test('a turn whose script was not allowed to run tells nothing: the model wanted to read', async () => {
  const { turn, types } = setting();
  const folder = makeFolder({ 'a.txt': 'a' });
  const attachments = [join(folder, 'a.txt')];
  const denying = toolFor({ attachments, settings: { consent: 'ask' }, consent: async () => 'deny' });
  const { status } = await denying.execute({ script: 'read_file("attachments:a.txt")' }, { turn });
  turn.end();
  expect([status, types()]).toEqual(['denied', []]);
});

test('a turn without attachments tells nothing', () => {
  const { listen, types } = recorder();
  createAttachmentTurn({ attachments: [], events: listen }).end();
  expect(types()).toEqual([]);
});

test('names may come with their prefix, and twice', () => {
  const { listen, types } = recorder();
  const turn = createAttachmentTurn({ attachments: ['attachments:a.txt', 'a.txt'], events: listen });
  turn.markRead('a.txt');
  turn.end();
  expect(types()).toEqual([]);
});

test.each([{}, { attachments: 'a.txt' }, { attachments: [''] }, { attachments: [], event: 1 }])(
  'options %j are refused',
  (options) => expect(() => createAttachmentTurn(options as never)).toThrow(SandboxError),
);
