import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CappedMessageReader, CappedMessageWriter } from '../../packages/protocol/src/framing.ts';

const frame = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

function read(maxBytes = 1000): { input: PassThrough; messages: unknown[]; errors: unknown[] } {
  const input = new PassThrough();
  const reader = new CappedMessageReader(input, maxBytes);
  const messages: unknown[] = [];
  const errors: unknown[] = [];
  reader.listen({
    message: (message) => messages.push(message),
    error: (error) => errors.push(error),
    close: () => {},
  });
  return { input, messages, errors };
}

/** Streams deliver on a later turn. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('reader and writer', () => {
  it('deliver the same messages however the bytes are cut', async () => {
    const message = fc.record({ method: fc.string({ unit: 'binary' }), params: fc.jsonValue() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 5 }),
        fc.infiniteStream(fc.nat({ max: 40 })),
        async (sent, cuts) => {
          const pipe = new PassThrough();
          const writer = new CappedMessageWriter(pipe, 1e6);
          for (const item of sent) writer.write({ jsonrpc: '2.0', ...item });
          const bytes = (pipe.read() ?? Buffer.alloc(0)) as Buffer;
          const { input, messages, errors } = read(1e6);
          for (let at = 0; at < bytes.length;) {
            const next = at + 1 + (cuts.next().value as number);
            input.write(bytes.subarray(at, next));
            at = next;
          }
          await settled();
          expect(errors).toEqual([]);
          expect(messages).toEqual(JSON.parse(JSON.stringify(sent.map((item) => ({ jsonrpc: '2.0', ...item })))));
        },
      ),
    );
  });

  it('accept other headers and any case', async () => {
    const { input, messages } = read();
    input.write('Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length: 2\r\n\r\n{}');
    await settled();
    expect(messages).toEqual([{}]);
  });
});

describe('a frame that is none', () => {
  const cases: [string, string, RegExp][] = [
    [
      'a length over the cap, before its body arrives',
      'Content-Length: 1001\r\n\r\n',
      /1001 bytes exceeds the cap of 1000/,
    ],
    ['text', 'hello\n', /Expected a "Content-Length/],
    ['a stray line before the header', 'debug: x\nContent-Length: 2\r\n\r\n{}', /Expected a "Content-Length/],
    ['binary', '\u0000\u0001', /Expected a "Content-Length/],
    ['a header without a length', 'Content-Type: x\r\n\r\n{}', /Expected a "Content-Length/],
    ['a negative length', 'Content-Length: -5\r\n\r\n', /Expected a "Content-Length/],
    ['a header without end', `Content-Type: ${'x'.repeat(600)}`, /Expected a "Content-Length/],
    ['a body that is no JSON', frame('{"a":'), /not a JSON object/],
    ['a body that is an array', frame('[1]'), /not a JSON object/],
  ];
  it.each(cases)('%s is refused at once', async (_, bytes, message) => {
    const { input, messages, errors } = read();
    input.write(bytes);
    await settled();
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ code: 'protocol_error', message: expect.stringMatching(message) as string });
    input.write(frame('{}'));
    await settled();
    expect(messages).toEqual([]);
  });

  it('is not seen in half a header, which waits for the rest', async () => {
    const { input, messages, errors } = read();
    for (const part of ['Cont', 'ent-Length: ', '2\r', '\n\r\n{', '}']) {
      input.write(part);
      await settled();
    }
    expect({ messages, errors }).toEqual({ messages: [{}], errors: [] });
  });
});

it('a message over the cap is refused before a byte of it is written', () => {
  const pipe = new PassThrough();
  const writer = new CappedMessageWriter(pipe, 100);
  expect(() => writer.write({ jsonrpc: 'x'.repeat(100) })).toThrow(/exceeds the cap of 100/);
  expect(pipe.read()).toBeNull();
});
