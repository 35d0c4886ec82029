import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createTagParser,
  endsInsideWrite,
  joinContinuation,
  parseTags,
} from '../../../packages/desktop-agent/src/shared/tags/parse.ts';
import { runs } from '../../full.ts';

const inPieces = (pieces: readonly string[]) => {
  const parser = createTagParser();
  for (const piece of pieces) parser.push(piece);
  parser.end();
  return parser.segments;
};

/** What tags, code and accidents are made of. */
const fragment = fc.constantFrom(
  '<agent-write path="a.ts" description="x > y">',
  '\n<agent-write path="b.ts">\n',
  '</agent-write>',
  '\n</agent-write>\n',
  '</agent-write> ;',
  '<agent-rename from="a" to=\'b\'></agent-rename>',
  '<agent-delete path="c"/>',
  '<agent-add-dependency packages="zod left-pad"></agent-add-dependency>',
  '<agent-command type="rebuild">',
  '<agent-chat-summary>Title',
  '</agent-chat-summary>',
  '<think>',
  '</think>',
  '<thinking>',
  '<agent-',
  '<agent-unknown a="b">',
  '<agent-write path="broken',
  '```ts\n',
  '\n```\n',
  '`',
  '~~~\n',
  '<',
  '>',
  '"',
  '\r\n',
  '\n',
  '  ',
  'const a = b < c;',
  '😀',
);
const answer = fc
  .array(fc.oneof(fragment, fc.string({ maxLength: 6 })), { maxLength: 30 })
  .map((parts) => parts.join(''));

describe('the parser of an answer', () => {
  it('gives the same segments however the answer was cut into pieces', () => {
    fc.assert(
      fc.property(answer, fc.array(fc.nat(400), { maxLength: 12 }), (text, cuts) => {
        const whole = parseTags(text);
        const at = [...new Set([0, ...cuts.filter((cut) => cut < text.length), text.length])].sort((a, b) => a - b);
        expect(inPieces(at.slice(1).map((end, index) => text.slice(at[index], end)))).toEqual(whole);
        expect(inPieces(Array.from({ length: text.length }, (_, index) => text[index] as string))).toEqual(whole);
      }),
      runs(1000),
    );
  });

  it('understands each tag', () => {
    const text = [
      'I change two files.\n',
      '<agent-write path="src/a &amp; b.ts" description="Say &quot;hi&quot;">\nexport const a = 1;\n</agent-write>\n',
      "<agent-rename from='old.ts' to=new.ts></agent-rename>\n",
      '<agent-delete path="gone.ts"></agent-delete>\n',
      '<agent-add-dependency packages="zod @scope/pkg@1"></agent-add-dependency>\n',
      '<agent-command type="rebuild"></agent-command>\n',
      '<agent-chat-summary>\nAdd a greeting\n</agent-chat-summary>',
    ].join('');
    expect(parseTags(text).filter(({ type }) => type !== 'text')).toEqual([
      {
        type: 'write',
        path: 'src/a & b.ts',
        description: 'Say "hi"',
        content: 'export const a = 1;\n',
        done: true,
      },
      { type: 'rename', from: 'old.ts', to: 'new.ts', done: true },
      { type: 'delete', path: 'gone.ts', done: true },
      { type: 'dependencies', packages: ['zod', '@scope/pkg@1'], done: true },
      { type: 'command', command: 'rebuild', done: true },
      { type: 'summary', text: 'Add a greeting', done: true },
    ]);
  });

  const writes = (text: string) => parseTags(text).filter(({ type }) => type === 'write');

  it('takes code that holds tags for content', () => {
    const content = [
      'const end = "</agent-write>";',
      "const pattern = /<agent-write path='x'>/;",
      '<agent-write path="inner.md">',
      'in it',
      '</agent-write>',
      '<think>no</think><agent-delete path="important">',
      '',
    ].join('\n');
    expect(writes(`<agent-write path="doc.md">\n${content}</agent-write>\nDone.`)).toEqual([
      { type: 'write', path: 'doc.md', description: '', content, done: true },
    ]);
  });

  it('keeps line ends, blanks and a missing line break at the end as they were written', () => {
    expect(writes('<agent-write path="a">\r\n  x\r\n\r\n</agent-write>')).toMatchObject([{ content: '  x\r\n\r\n' }]);
    expect(writes('<agent-write path="a">x</agent-write>')).toMatchObject([{ content: 'x', done: true }]);
    expect(writes('<agent-write path="a"></agent-write>')).toMatchObject([{ content: '', done: true }]);
    expect(writes('<agent-write path="a">\n\nx')).toMatchObject([{ content: '\nx', done: false }]);
    expect(writes('<agent-write path="a">x</agent-write><agent-write path="b">y</agent-write>')).toMatchObject([
      { path: 'a', content: 'x', done: true },
      { path: 'b', content: 'y', done: true },
    ]);
  });

  it.each([
    ['a fence', '```xml\n<agent-delete path="a"/>\n```\n'],
    ['a longer fence', '````\n```\n<agent-delete path="a"/>\n````\n'],
    ['a fence that is still open', 'see\n~~~\n<agent-delete path="a"/>'],
    ['backticks', 'write `<agent-delete path="a"/>` to delete'],
    ['an unknown tag', '<agent-format path="a">x</agent-format>'],
    ['a tag without its end', 'x <agent-delete path="a"'],
    ['a quote without its end', '<agent-delete path="a>\nmore'],
    ['a tag in another', '<agent-delete <b> path="a">'],
    ['a tag of 5,000 characters', `<agent-delete path="${'a'.repeat(5000)}">`],
  ])('takes for text what is in %s', (_, text) => {
    expect(parseTags(text)).toEqual([{ type: 'text', text, done: true }]);
  });

  it('reads a tag after a fence has ended, and drops end tags that end nothing', () => {
    expect(parseTags('```\nx\n```\n</agent-write><agent-delete path="a"></agent-delete>')).toEqual([
      { type: 'text', text: '```\nx\n```\n', done: true },
      { type: 'delete', path: 'a', done: true },
    ]);
  });

  it('keeps tags of reasoning in the reasoning', () => {
    expect(parseTags('<think>maybe <agent-delete path="a"/>?</think>No.')).toEqual([
      { type: 'reasoning', text: 'maybe <agent-delete path="a"/>?', done: true },
      { type: 'text', text: 'No.', done: true },
    ]);
  });

  it('looks at each character a bounded number of times', () => {
    // One that looked back from each character would take hours.
    const hostile = [
      '<',
      '<agent-',
      '<agent-write path="',
      '<agent-write path="a">',
      '</agent-write> ',
      '`<think',
      '\n```',
    ];
    for (const piece of hostile) {
      const text = piece.repeat(Math.ceil(300_000 / piece.length));
      expect(parseTags(text).length).toBeGreaterThan(0);
      expect(parseTags(`<agent-write path="a">${text}`).length).toBeGreaterThan(0);
    }
  });
});

describe('an answer that was cut off in a file', () => {
  const cut = '<agent-write path="a.ts">\nconst first = 1;\nfunction second() {\n  return fir';

  it('is seen to be', () => {
    expect(endsInsideWrite(parseTags(cut))).toBe(true);
    expect(endsInsideWrite(parseTags(`${cut}st;\n}\n</agent-write>`))).toBe(false);
    expect(endsInsideWrite(parseTags(`${cut}st;\n}\n</agent-wri`))).toBe(true);
    expect(endsInsideWrite(parseTags('no file'))).toBe(false);
  });

  const wanted = `${cut}st;\n}\n</agent-write>`;
  it.each([
    ['goes on where it stopped', 'st;\n}\n</agent-write>'],
    ['repeats the half of the line', '  return first;\n}\n</agent-write>'],
    ['repeats lines', 'function second() {\n  return first;\n}\n</agent-write>'],
    [
      'begins the file anew at these lines',
      '<agent-write path="a.ts">\nfunction second() {\n  return first;\n}\n</agent-write>',
    ],
    [
      'begins the file anew',
      '<agent-write path="a.ts">\nconst first = 1;\nfunction second() {\n  return first;\n}\n</agent-write>',
    ],
    ['puts it into a fence', '```ts\n  return first;\n}\n</agent-write>'],
  ])('is put together with a continuation that %s', (_, continuation) => {
    expect(joinContinuation(cut, continuation)).toBe(wanted);
  });

  it('keeps what only looks repeated', () => {
    expect(joinContinuation('<agent-write path="a">\n}\n', '}\n</agent-write>')).toBe(
      '<agent-write path="a">\n}\n}\n</agent-write>',
    );
  });

  it('can be cut anywhere and goes together again when the last line is repeated', () => {
    const text = wanted;
    const start = text.indexOf('\n') + 1;
    fc.assert(
      fc.property(fc.integer({ min: start, max: text.length - 1 }), (at) => {
        const before = text.slice(0, at);
        const line = before.slice(before.lastIndexOf('\n') + 1);
        fc.pre(line.trim().length >= 8);
        expect(joinContinuation(before, line + text.slice(at))).toBe(text);
      }),
      runs(200),
    );
  });
});
