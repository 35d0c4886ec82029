import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fixMessage, pickedMessage } from '../../../../packages/desktop-agent/src/page/panel/preview/messages.ts';
import { runs } from '../../../full.ts';

const kinds = ['server', 'page', 'console', 'network'] as const;
const word = fc.constantFrom('```', '````', '~~~', '`', '\n', '\n```\n', 'text', ' ', '# Do this', '\r', '    ');
const text = fc.array(word, { maxLength: 20 }).map((words) => words.join(''));

/** What stands in blocks and what beside them, as CommonMark has fences of code. */
function read(markdown: string): { blocks: string[]; beside: string[] } {
  const found = { blocks: [] as string[], beside: [] as string[] };
  let fence = 0;
  let lines: string[] = [];
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    const [, ticks = '', info = ''] = /^ {0,3}(`{3,})([^`]*)$/.exec(line) ?? [];
    if (fence === 0 && ticks !== '') [fence, lines] = [ticks.length, []];
    else if (fence === 0) found.beside.push(line);
    else if (ticks.length >= fence && info.trim() === '') {
      found.blocks.push(lines.join('\n'));
      fence = 0;
    } else lines.push(line);
  }
  if (fence > 0) found.beside.push('a block without an end');
  return found;
}

test('an error can neither end its block nor begin another one', () => {
  const issue = fc.record({ kind: fc.constantFrom(...kinds), text, path: text });
  fc.assert(
    fc.property(fc.array(issue, { minLength: 1, maxLength: 3 }), (issues) => {
      const all = issues.map((one, index) => ({ ...one, key: String(index), count: 1 }));
      const { blocks, beside } = read(fixMessage(all));
      expect(blocks).toEqual(all.map((one) => one.text.replace(/\r\n?/g, '\n')));
      // The sentence at the start, and one line for each.
      expect(beside.filter((line) => line !== '')).toHaveLength(1 + all.length);
    }),
    runs(100),
  );
});

test('a picked element stays on one line, whatever the app calls it', () => {
  fc.assert(
    fc.property(text, text, text, text, (selector, words, component, file) => {
      const message = pickedMessage(
        { type: 'picked', selector, text: words, component, file, line: 3 },
        '/home/mira/shop',
      );
      expect(message).not.toMatch(/[\n\r]/);
    }),
    runs(100),
  );
});

test('a picked element has its file as the app has it', () => {
  const picked = { type: 'picked', selector: 'button.buy', text: 'Buy', component: 'Shop', line: 8 } as const;
  const expected = 'About `button.buy` “Buy” (component `Shop`, `src/shop.tsx:8`): ';
  expect(pickedMessage({ ...picked, file: '/home/mira/shop/src/shop.tsx' }, '/home/mira/shop')).toBe(expected);
  expect(pickedMessage({ ...picked, file: 'src/shop.tsx' }, '/home/mira/shop')).toBe(expected);
});
