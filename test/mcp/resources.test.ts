import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AttachmentStore } from '@mustard-sandbox/agent-tool';
import type { Client } from '@modelcontextprotocol/client';
import * as fc from 'fast-check';
import { PNG } from 'pngjs';
import { describe, expect, it, vi } from 'vitest';
import { runs } from '../full.ts';
import { attachmentsOf, connect, eras, makeFolder } from './support.ts';

const always = ['--consent', 'always'];
const mebibyte = 1024 * 1024;

interface Contents {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
}

async function read(client: Client, uri: string): Promise<Contents> {
  const { contents } = await client.readResource({ uri });
  expect(contents).toHaveLength(1);
  return contents[0] as Contents;
}

describe.each(eras)('resources, at %s', (era) => {
  it('are the files of --attach, stored attachments and outputs, with sizes and types', async () => {
    const folder = makeFolder({ 'root/': '', 'a.json': '{"a": 1}', 'b.bin': new Uint8Array([0, 1, 2]) });
    await new AttachmentStore(join(folder, 'root')).store(join(folder, 'a.json'), 'stored.json');
    const files = ['--attach', join(folder, 'a.json'), '--attach', `two words=${join(folder, 'b.bin')}`];
    const { client, run } = await connect(['--root', join(folder, 'root'), ...files, ...always], { era });
    const { structuredContent } = await run(`'é'.repeat(50000)`);
    const output = String(structuredContent['fullOutput']).slice('attachments:'.length);

    const resources = await attachmentsOf(client);
    expect(resources).toMatchObject([
      { name: 'a.json', uri: 'attachments:///a.json', size: 8, mimeType: 'application/json' },
      { name: 'two words', uri: 'attachments:///two%20words', size: 3, mimeType: 'application/octet-stream' },
      { name: 'stored.json', uri: 'attachments:///stored.json', size: 8, mimeType: 'application/json' },
      { name: output, uri: `attachments:///${output}`, size: 100_000, mimeType: 'text/plain' },
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'attachments:///{name}{?start,length}' }]);

    expect(await read(client, 'attachments:///a.json')).toMatchObject({
      mimeType: 'application/json',
      text: '{"a": 1}',
    });
    expect(await read(client, 'attachments:///two%20words?start=1')).toMatchObject({ blob: 'AQI=' });
    expect((await read(client, `attachments:///${output}`)).text).toBe('é'.repeat(50_000));
  });

  it('are what scripts have saved, linked in their answers', async () => {
    const out = join(makeFolder(), 'out');
    const { client, run } = await connect(['--root', makeFolder(), '--out', out, ...always], { era });
    const { tools } = await client.listTools();
    expect(tools[0]?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    const { content, structuredContent } = await run(`save('a b.csv', [{ n: 1 }]); 1`);
    const uri = 'attachments:///outputs%3Aa%20b.csv';
    expect(content).toMatchObject([
      { type: 'text', text: expect.stringContaining('Saved outputs:a b.csv (4 B)') },
      { type: 'resource_link', uri, name: 'a b.csv', size: 4 },
    ]);
    expect(structuredContent).toMatchObject({ value: 1, outputs: [{ name: 'outputs:a b.csv', size: 4 }] });
    expect((await client.listResources()).resources).toMatchObject([
      { uri: 'mustard-sandbox:///functions.d.ts' },
      { uri, size: 4, mimeType: 'text/csv' },
    ]);
    expect((await read(client, uri)).text).toBe('n\n1\n');
    expect((await run(`read_file('outputs:a b.csv')`)).structuredContent['value']).toBe('n\n1\n');
  });

  it('are charts, which models also see: as many as an answer has room for', async () => {
    const { client, run } = await connect(['--root', makeFolder(), '--out', join(makeFolder(), 'out'), ...always], {
      era,
    });
    const { content } = await run(`
      save('lie.chart.json', { type: 'pie' });
      chart({ type: 'bar', data: { a: 1, b: 2 }, x: 'key', y: 'value', name: 'bars' })`);
    const [text, image, ...links] = content as [unknown, { data: string }, ...unknown[]];
    expect(text).toMatchObject({ type: 'text' });
    expect(image).toMatchObject({ type: 'image', mimeType: 'image/png' });
    const { width, height, data } = PNG.sync.read(Buffer.from(image.data, 'base64'));
    expect([width, data.length]).toEqual([1440, width * height * 4]);
    expect(new Set(data).size).toBeGreaterThan(3);
    expect(links).toMatchObject([
      { type: 'resource_link', name: 'lie.chart.json' },
      { type: 'resource_link', name: 'bars.chart.json' },
    ]);
    expect((await read(client, 'attachments:///outputs%3Abars.chart.json')).text).toContain('"bar"');
    const many = await run(`
      for (let n = 0; n < 9; n++) chart({ type: 'bar', data: { a: n }, x: 'key', y: 'value', name: 'n' + n });
      throw new Error('after them')`);
    const kinds = (many.content as { type: string }[]).map(({ type }) => type);
    expect(kinds.filter((type) => type === 'image')).toHaveLength(4);
    expect(kinds.filter((type) => type === 'resource_link')).toHaveLength(9);
  });

  it('are announced when a script or another process adds one', async () => {
    const root = makeFolder();
    const { client, run, listChanges } = await connect(['--root', root, ...always], { era });
    // Since 2026-07-28 a client says what it wants to hear of.
    if (era === '2026-07-28') await client.listen({ resourcesListChanged: true });
    await client.listResources();
    await run('1');
    expect(listChanges()).toBe(0);
    await run(`'x'.repeat(100000)`);
    await vi.waitFor(() => expect(listChanges()).toBe(1));
    await new AttachmentStore(root).store(pathOf('big', 'stored'), 'new.txt');
    await vi.waitFor(() => expect(listChanges()).toBe(2));
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name)).toContain('new.txt');
  });

  it('that are not there, or none of ours, are invalid params', async () => {
    const { client } = await connect([], { era });
    for (const [uri, message] of wrongUris) {
      await expect(read(client, uri)).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(message) });
    }
  });
});

const wrongUris: [string, RegExp][] = [
  ['attachments:///gone.log', /There is no attachment "gone.log"/],
  ['attachments:///..%2F..%2Fetc%2Fpasswd', /There is no attachment/],
  ['attachments://gone.log', /is not a resource of this server/],
  ['attachments:///', /is not a resource of this server/],
  ['file:///etc/passwd', /is not a resource of this server/],
  ['attachments:///%zz', /is not a resource of this server/],
  ['nonsense', /is not a resource of this server.+attachments:\/\/\/\{name\}/],
  ['attachments:///a?begin=1', /not "begin"/],
  ['attachments:///a?start=-1', /start=-1: it must be one whole number/],
  ['attachments:///a?length=1e3', /length=1e3: it must be one whole number/],
  ['attachments:///a?start=', /start=: it must be one whole number/],
  ['attachments:///a?start=1&start=2', /must be one whole number/],
  [`attachments:///a?length=${'9'.repeat(30)}`, /must be one whole number/],
];

/** A file of its own with this text. */
function pathOf(name: string, text: string): string {
  const path = join(makeFolder(), name);
  writeFileSync(path, text);
  return path;
}

describe('a range', () => {
  it('joins with the next one to the whole text, wherever it is cut', async () => {
    const path = join(makeFolder(), 'text');
    writeFileSync(path, '');
    const { client } = await connect(['--attach', path]);
    const letters = fc.constantFrom('a', 'é', '€', '😀', '\n');
    const texts = fc.array(letters, { maxLength: 40 }).map((parts) => parts.join(''));
    const property = fc.asyncProperty(texts, fc.integer({ min: 1, max: 9 }), async (text, step) => {
      writeFileSync(path, text);
      let joined = '';
      for (let start = 0; start < Buffer.byteLength(text); start += step) {
        joined += (await read(client, `attachments:///text?start=${start}&length=${step}`)).text ?? '';
      }
      expect(joined).toBe(text);
    });
    await fc.assert(property, runs(30));
  });

  it('past the end is empty', async () => {
    const { client } = await connect(['--attach', pathOf('a', 'abc')]);
    expect(await read(client, 'attachments:///a?start=3')).toMatchObject({ text: '' });
    expect(await read(client, 'attachments:///a?start=9&length=9')).toMatchObject({ text: '' });
    expect(await read(client, 'attachments:///a?length=0')).toMatchObject({ text: '' });
  });

  it('of more than 1 MB is refused with one that works', async () => {
    const { client } = await connect(['--attach', pathOf('big.log', 'x'.repeat(3 * mebibyte))]);
    const refusal = await read(client, 'attachments:///big.log').catch((error: Error) => error);
    expect(refusal).toMatchObject({ code: -32602 });
    const { message } = refusal as Error;
    expect(message).toMatch(/One read returns at most 1 MB, and this would be 3 MB of 3 MB/);
    const example = /attachments:\S+\d/.exec(message)?.[0] ?? '';
    expect((await read(client, example)).text).toHaveLength(mebibyte);
    expect((await read(client, `attachments:///big.log?start=${2 * mebibyte}`)).text).toHaveLength(mebibyte);
  });
});

describe('resources of a folder', () => {
  it('that the client gives as a root are there before the first script runs', async () => {
    const root = makeFolder();
    await new AttachmentStore(root).store(pathOf('a', 'stored'), 'a.txt');
    const { client } = await connect(always, { roots: () => [String(pathToFileURL(root))] });
    expect(await attachmentsOf(client)).toMatchObject([{ name: 'a.txt' }]);
  });

  it('give way to a file of --attach with the same name', async () => {
    const root = makeFolder();
    await new AttachmentStore(root).store(pathOf('a', 'stored'), 'a.txt');
    const { client, run } = await connect(['--root', root, '--attach', pathOf('a.txt', 'attached'), ...always]);
    expect(await attachmentsOf(client)).toMatchObject([{ name: 'a.txt', size: 8 }]);
    expect((await run(`read_file('attachments:a.txt')`)).structuredContent.value).toBe('attached');
  });
});

it('outputs older than a week are removed at the start; what is not ours stays', async () => {
  const root = makeFolder();
  const media = join(root, '.dyad/media');
  mkdirSync(media, { recursive: true });
  const [old, recent, foreign] = [
    `script-output-${'0'.repeat(16)}.txt`,
    `script-output-${'1'.repeat(16)}.txt`,
    'script-output-mine.txt',
  ];
  const weekAgo = Date.now() / 1000 - 8 * 24 * 3600;
  for (const name of [old, recent, foreign]) {
    writeFileSync(join(media, name), name);
    if (name !== recent) utimesSync(join(media, name), weekAgo, weekAgo);
  }
  const { run } = await connect(['--root', root, '--consent', 'always']);
  await run('1');
  expect(readdirSync(media).filter((name) => name.startsWith('script'))).toEqual([recent, foreign]);
});
