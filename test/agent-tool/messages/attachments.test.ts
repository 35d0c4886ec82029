import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prepareUserMessage, type AttachmentInput, type PrepareUserMessageOptions } from '@mustard-sandbox/agent-tool';
import { failureOf } from '../../client/support.ts';
import { makeFolder, releaseLater } from '../../files/support.ts';
import { binary, gif, pdf, png, prepare } from './support.ts';

const mode = 'default-chat';

/** What is attached, by the names that the model sees. */
async function namesOf(attachments: AttachmentInput[], cwd?: string): Promise<string[]> {
  const { parts } = await prepare({ mode, text: 'Hi', attachments, ...(cwd !== undefined && { cwd }) });
  return parts.flatMap((part) => {
    if (part.type === 'file') return [part.filename];
    if (part.type === 'image') return [part.mediaType];
    return [...part.text.matchAll(/^Attachment: (.*) \(.*\)$/gm)].map(([, name]) => name as string);
  });
}

async function refusal(attachments: unknown[], cwd?: string): Promise<string> {
  const options = { mode, text: 'Hi', attachments, ...(cwd !== undefined && { cwd }) } as PrepareUserMessageOptions;
  const { code, message } = await failureOf(prepareUserMessage(options));
  expect(code).toBe('invalid_request');
  return message;
}

describe('a pattern', () => {
  const layout = {
    'b.txt': 'b',
    'a.txt': 'a',
    'src/z.rs': 'z',
    'src/deep/y.rs': 'y',
    'src/folder.rs/x.rs': 'x',
    '.env': 'secret',
    '.github/ci.yml': 'ci',
    'node_modules/lib/index.rs': 'lib',
    '[2024].txt': 'literal',
  };

  test.each<[string, string[]]>([
    ['*.txt', ['[2024].txt', 'a.txt', 'b.txt']],
    ['src/**/*.rs', ['src/deep/y.rs', 'src/folder.rs/x.rs', 'src/z.rs']],
    ['**/*.rs', ['src/deep/y.rs', 'src/folder.rs/x.rs', 'src/z.rs']],
    ['{a,b}.txt', ['a.txt', 'b.txt']],
    ['*', ['[2024].txt', 'a.txt', 'b.txt']],
    ['.github/*', ['.github/ci.yml']],
    ['node_modules/**/*.rs', ['node_modules/lib/index.rs']],
    ['[2024].txt', ['[2024].txt']],
  ])('%s stands for %j', async (pattern, names) => {
    expect(await namesOf([pattern], makeFolder(layout))).toEqual(names);
  });

  test('may be absolute; what is not below the working directory goes by its last part', async () => {
    const folder = makeFolder(layout);
    expect(await namesOf([`${folder}/src/**`, join(folder, 'a.txt')], join(folder, 'src'))).toEqual([
      'deep/y.rs',
      'folder.rs/x.rs',
      'z.rs',
      'a.txt',
    ]);
  });

  test.skipIf(process.platform === 'win32')('follows no link, but a link may be named', async () => {
    const folder = makeFolder({ 'a/x.txt': 'x', 'secret.txt': 's' });
    symlinkSync('..', join(folder, 'a/loop'));
    symlinkSync('../secret.txt', join(folder, 'a/link.txt'));
    expect(await namesOf(['a/**'], folder)).toEqual(['a/x.txt']);
    expect(await namesOf(['a/link.txt'], folder)).toEqual(['a/link.txt']);
  });

  test('that matches nothing is named', async () => {
    const folder = makeFolder(layout);
    expect(await refusal(['a.txt', 'src/*.py'], folder)).toBe(
      `attachment "src/*.py": the pattern matches no file in ${folder} (names that begin with a dot, and node_modules, have to be written out).`,
    );
  });

  test('in an object is a path', async () => {
    const folder = makeFolder(layout);
    expect(await refusal([{ path: '*.txt' }], folder)).toContain(`there is no file ${join(folder, '*.txt')}`);
  });
});

test('the order is the one given, and a path is there once', async () => {
  const folder = makeFolder({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c', 'd.txt': 'd' });
  const attachments = [
    'c.txt',
    { data: 'x', name: 'x' },
    '*.txt',
    './c.txt',
    { path: join(folder, 'a.txt'), name: 'again' },
  ];
  expect(await namesOf(attachments, folder)).toEqual(['c.txt', 'x', 'a.txt', 'b.txt', 'd.txt']);
});

describe('a file that cannot be attached is named:', () => {
  test.skipIf(process.platform === 'win32').each<[string, (folder: string) => AttachmentInput, RegExp]>([
    ['missing', () => 'nope.log', /"nope\.log": there is no file .*nope\.log\.$/],
    ['below a file', () => 'a.txt/b', /"a\.txt\/b": there is no file/],
    ['a folder', () => 'sub', /"sub": .*sub is a folder; attach the files in it by a pattern, .*sub\/\*\*/],
    ['a folder with a slash', () => ({ path: 'sub/' }), /"sub": .*is a folder/],
    ['a device', () => '/dev/null', /"null": \/dev\/null is not a regular file/],
    ['a link to nowhere', () => 'dangling', /"dangling": there is no file/],
    ['a link to itself', () => 'self', /"self": .*self is a link that leads to itself/],
    ['a NUL in its path', () => 'a\0b', /"a\\u\{0\}b": .*null bytes/],
    ['a name that is too long', () => 'x'.repeat(300), /ENAMETOOLONG/],
  ])('%s', async (_, input, message) => {
    const folder = makeFolder({ 'a.txt': 'a', 'sub/': '', dangling: { link: 'nowhere' }, self: { link: 'self' } });
    expect(await refusal([input(folder)], folder)).toMatch(message);
  });

  test.skipIf(process.platform === 'win32')('a FIFO, without waiting for a writer', async () => {
    const folder = makeFolder();
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    releaseLater(join(folder, 'fifo'), 10);
    expect(await refusal(['fifo'], folder)).toMatch(/fifo is not a regular file/);
  });

  test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('unreadable', async () => {
    const folder = makeFolder({ 'a.txt': 'a' });
    chmodSync(join(folder, 'a.txt'), 0);
    expect(await refusal(['a.txt'], folder)).toMatch(/this process may not read .*a\.txt/);
  });

  test('gone after it was found', async () => {
    const folder = makeFolder({ 'a.txt': 'a'.repeat(100) });
    const options = { mode, text: 'Hi', attachments: ['*.txt'], cwd: folder, sizeThreshold: 10 } as const;
    const sizePrompt = () => {
      unlinkSync(join(folder, 'a.txt'));
      return Promise.resolve('attach' as const);
    };
    const error = await failureOf(prepareUserMessage({ ...options, sizePrompt }));
    expect(error).toMatchObject({ code: 'invalid_request', details: { attachment: 'a.txt' } });
    expect(error.message).toMatch(/"a\.txt": there is no file/);
  });
});

test('a file that grew after it was found is attached as it was', async () => {
  const folder = makeFolder({ 'a.txt': 'aé' });
  const sizePrompt = () => {
    appendFileSync(join(folder, 'a.txt'), 'é'.repeat(1000));
    return Promise.resolve('attach' as const);
  };
  const message = await prepare({
    mode,
    text: 'Hi',
    attachments: ['a.txt'],
    cwd: folder,
    sizeThreshold: 1,
    sizePrompt,
  });
  expect(message.parts[0]).toEqual({ type: 'text', text: 'Attachment: a.txt (3 B)\n```\naé\n```' });
});

describe('data', () => {
  test('is bytes, text or a data URL', async () => {
    const attachments = [
      { data: Buffer.from('bytes'), name: 'a' },
      { data: 'text', name: 'b' },
      { data: `data:image/png;base64,${png.toString('base64')}`, name: 'c' },
      { data: 'data:,hello%20w%C3%B6rld%', name: 'd' },
      { data: 'data:text/plain;charset=utf-8;base64,aGk', name: 'e' },
      { data: 'data: [1, 2]\nthat: is YAML', name: 'f' },
    ];
    const { parts } = await prepare({ mode, text: 'Hi', attachments });
    const shown = parts.map((part) => (part.type === 'text' ? part.text.split('\n').slice(2, -1).join('\n') : part));
    expect(shown.slice(0, -1)).toEqual([
      'bytes',
      'text',
      { type: 'image', image: png, mediaType: 'image/png' },
      'hello wörld%',
      'hi',
      'data: [1, 2]\nthat: is YAML',
    ]);
  });

  test('of a data URL is what the platform reads in it', async () => {
    const digits = fc.string({ unit: fc.constantFrom(...'AQgw+/=% \nz4'), maxLength: 12 });
    const plain = fc.string({ unit: fc.constantFrom('%', '4', '1', 'f', 'é', ',', ';', ' ', '+'), maxLength: 12 });
    const url = fc.oneof(
      fc.base64String({ maxLength: 40 }).map((body) => `data:a/b;base64,${body}`),
      digits.map((body) => `data:;base64,${body}`),
      plain.map((body) => `data:a/b,a${body}`),
    );
    await fc.assert(
      fc.asyncProperty(url, async (url) => {
        // fetch() takes the URL apart first, and leaves out what a URL cannot hold.
        fc.pre(!/[\n#]| $/.test(url));
        const expected = await fetch(url).then(
          async (response) => Buffer.from(await response.arrayBuffer()),
          () => undefined,
        );
        const attachments = [{ data: url, name: 'a' }];
        const prepared = await prepareUserMessage({ mode, text: 'Hi', attachments }).catch(
          (error: Error) => error.message,
        );
        if (expected === undefined) expect(prepared).toBe('attachment "a": its data URL is malformed.');
        else expect(prepared).toMatchObject({ totalBytes: expected.length });
      }),
    );
  });

  test.each([
    ['data:image/png', 'malformed'],
    ['data:image/png;base64', 'malformed'],
    ['data:image/png;base64,@@@@', 'malformed'],
    ['data:image/png;base64,iVBORw0=KGgo', 'malformed'],
    ['data:image/png;base64,A', 'malformed'],
    ['data:;base64,QQ=', 'malformed'],
    ['data:image/gif;base64,R0lGODlh', 'mediaType says image/png, its data URL image/gif'],
  ])('%s with the type image/png is refused', async (data, why) => {
    expect(await refusal([{ data, name: 'a.png', mediaType: 'image/png' }])).toContain(
      `"a.png": its data URL is ${why}`.replace('its data URL is mediaType', 'mediaType'),
    );
  });
});

describe('a type that the bytes deny is refused', () => {
  test.each<[string, Uint8Array, string, RegExp]>([
    ['a GIF as PNG', gif, 'image/png', /declared as image\/png, but its bytes are image\/gif/],
    ['text as PNG', Buffer.from('hello'), 'image/png', /declared as image\/png, but its bytes are something else/],
    ['an empty PNG', Buffer.alloc(0), 'image/png', /bytes are something else/],
    ['a PNG as text', png, 'text/plain', /declared as text\/plain, but its bytes are image\/png/],
    ['text as PDF', Buffer.from('hello'), 'application/pdf', /declared as application\/pdf/],
    ['bytes as text', binary, 'text/csv', /declared as text\/csv, but its bytes are neither UTF-8 nor UTF-16/],
  ])('%s', async (_, data, mediaType, message) => {
    expect(await refusal([{ data, name: 'a', mediaType }])).toMatch(message);
  });

  test.each<[string, Uint8Array, string]>([
    ['another case, another name and parameters', Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'Image/JPG; q=1'],
    ['a PDF', pdf, 'application/pdf'],
    ['an unknown type', Buffer.from('x'), 'application/x-thing'],
    ['an unknown kind of image', Buffer.from('x'), 'image/x-icon'],
    ['no idea', png, 'application/octet-stream'],
  ])('and %s is not', async (_, data, mediaType) => {
    expect(await prepare({ mode, text: 'Hi', attachments: [{ data, name: 'a', mediaType }] })).toBeDefined();
  });
});

test('images are known by their first bytes', async () => {
  const heads: [string, string][] = [
    ['image/png', '\x89PNG\r\n\x1a\n'],
    ['image/jpeg', '\xff\xd8\xff\xe1'],
    ['image/gif', 'GIF87a'],
    ['image/webp', 'RIFF\x01\x02\x03\x04WEBPVP8 '],
    ['image/bmp', 'BM\x01\x02\x03\x04\0\0\0\0'],
    ['image/tiff', 'II*\0'],
    ['image/tiff', 'MM\0*'],
    ['image/avif', '\0\0\0\x20ftypavif'],
    ['image/heic', '\0\0\0\x20ftypheic'],
  ];
  const attachments = heads.map(([, head], index) => ({ data: Buffer.from(head, 'latin1'), name: `${index}` }));
  expect(await namesOf(attachments)).toEqual(heads.map(([type]) => type));
});

describe('options', () => {
  test.each<[string, object, RegExp]>([
    ['an unknown key', { attachment: [] }, /prepareUserMessage\(\): .*attachment/],
    ['an unknown mode', { mode: 'chat' }, /mode: /],
    ['no text', { text: undefined }, /text: /],
    ['nothing at all', { text: '' }, /neither a text nor an attachment/],
    ['a store that is none', { store: {} }, /store: must be an AttachmentStore/],
    ['a signal that is none', { signal: {} }, /signal: must be an AbortSignal/],
    ['a size that is none', { sizeThreshold: 'much' }, /^sizeThreshold: 'much' is not a size/],
    ['another that is none', { truncateTo: -1 }, /^truncateTo: -1 is not a size/],
    ['a size that could not be one', { sizeThreshold: true }, /sizeThreshold: must be a size/],
    ['an unknown policy', { sizePolicy: 'maybe' }, /sizePolicy: /],
    ['a prompt that is none', { sizePrompt: 'y' }, /sizePrompt: must be a function/],
    ['an empty path', { attachments: ['a', ''] }, /attachments\[1\]: is an empty path/],
    ['a number', { attachments: [7] }, /attachments\[0\]: /],
    ['null', { attachments: [null] }, /attachments\[0\]: /],
    ['data without a name', { attachments: [{ data: 'x' }] }, /attachments\[0\]: name: /],
    [
      'data that is none',
      { attachments: [{ data: 7, name: 'x' }] },
      /attachments\[0\]: data: must be a string or a Uint8Array/,
    ],
    ['both', { attachments: [{ data: 'x', name: 'x', path: 'y' }] }, /attachments\[0\]: .*path/],
    ['an empty name', { attachments: [{ path: 'x', name: '' }] }, /attachments\[0\]: name: is empty/],
    [
      'no type',
      { attachments: [{ path: 'x', mediaType: 'text' }] },
      /attachments\[0\]: mediaType: is not a media type/,
    ],
    ['a type with a line', { attachments: [{ path: 'x', mediaType: 'a/b;\n- forged' }] }, /is not a media type/],
  ])('%s: refused', async (_, wrong, message) => {
    const options = { mode, text: 'Hi', ...wrong } as PrepareUserMessageOptions;
    expect(await failureOf(prepareUserMessage(options))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(message),
    });
  });

  test('an aborted signal: nothing is looked at', async () => {
    const options = { mode, text: 'Hi', attachments: ['nope'], signal: AbortSignal.abort() } as const;
    expect(await failureOf(prepareUserMessage(options))).toMatchObject({ code: 'cancelled' });
  });
});
