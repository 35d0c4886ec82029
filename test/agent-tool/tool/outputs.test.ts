import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRecord } from '@mustard-sandbox/agent-tool';
import { expect, test } from 'vitest';
import { makeFolder } from '../../files/support.ts';
import { completed, failed, toolFor } from './support.ts';

test('the model is told of save only where there is a folder, and gets name, size and first lines', async () => {
  expect(toolFor().description).not.toContain('save(');
  const outputs = makeFolder();
  const tool = toolFor({ outputs });
  expect(tool.description).toContain('declare function save(');
  const script = `save('a.csv', [{ n: 1 }, { n: 2 }]); 'done'`;
  const result = await completed(tool.execute({ script }));
  expect(result.text).toBe('done\n\n[Saved outputs:a.csv (6 B). It begins:\nn\n1\n2]');
  expect(result.outputs).toEqual([{ name: 'a.csv', size: 6, head: 'n\n1\n2', path: join(outputs, 'a.csv') }]);
  expect(parseRecord(JSON.parse(JSON.stringify(result.record)))).toMatchObject({
    outputs: [{ name: 'a.csv', size: 6, head: 'n\n1\n2' }],
  });
  expect(JSON.stringify(result.record)).not.toContain(outputs);
});

test('a tool of its own reads them in the next script, whatever roots that needs', async () => {
  const outputs = join(makeFolder(), 'outputs');
  const elsewhere = makeFolder({ 'b.txt': 'b' });
  const files: string[] = [];
  const tool = toolFor({
    outputs,
    sandbox: undefined,
    attachments: { list: async () => files.map((path) => ({ name: 'b.txt', path, size: 1 })) },
  });
  await completed(tool.execute({ script: `save('a.csv', [{ n: 1 }])` }));
  files.push(join(elsewhere, 'b.txt'));
  writeFileSync(join(outputs, 'mine.csv'), 'mine');
  const { value } = await completed(
    tool.execute({ script: `[read_file('outputs:a.csv'), read_file('attachments:b.txt'), list_files('outputs:')]` }),
  );
  expect(value).toEqual(['n\n1\n', 'b', ['outputs:a.csv']]);
});

test('a script that fails tells what it had saved, without a path of the host', async () => {
  const outputs = makeFolder();
  const result = await failed(toolFor({ outputs }).execute({ script: `save('a.txt', 'x'); throw new Error('no')` }));
  expect(result.text).toContain('[Saved outputs:a.txt (2 B). It begins:\nx]');
  expect(result.outputs).toEqual([expect.objectContaining({ path: join(outputs, 'a.txt') })]);
  expect(JSON.stringify([result.error, result.text, result.record])).not.toContain(outputs);
  expect(readFileSync(join(outputs, 'a.txt'), 'utf8')).toBe('x\n');
});

test('first lines are printable, and those of many files are left out', async () => {
  const tool = toolFor({ outputs: makeFolder() });
  const script = `for (let i = 0; i < 7; i++) save('f' + i, '\\u001b[31m\\u202e' + 'x'.repeat(1e5)); 1`;
  const { text } = await completed(tool.execute({ script }));
  expect(text.includes('\u001b') || text.includes('\u202e')).toBe(false);
  expect(text.match(/It begins/g)).toHaveLength(5);
  expect(text.length).toBeLessThan(5_000);
});
