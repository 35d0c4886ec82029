import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createExecuteSandboxScriptTool } from '@mustard-sandbox/agent-tool';
import { createSandbox } from '@mustard-sandbox/client';
import { cutToBytes } from '../../packages/agent-tool/src/output.ts';
import { makeFolder } from '../files/support.ts';

const KiB = 1024;
const maxBytes = 64 * KiB;

const sandbox = createSandbox();
afterAll(() => sandbox.close());

/** The one right answer: whole characters while they fit. */
function expectedCut(text: string, bytes: number): string {
  let cut = '';
  let size = 0;
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > bytes) break;
    cut += character;
  }
  return cut;
}

describe('the cut', () => {
  test('is valid UTF-8, at most as long as allowed and at most three bytes shorter', () => {
    const characters = fc.constantFrom('a', 'é', '€', '😀', '\ufeff', '\0', '\n');
    const texts = fc.array(characters, { maxLength: 400 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, fc.integer({ min: 4, max: 300 }), (text, limit) => {
        const cut = cutToBytes(text, limit);
        const bytes = Buffer.from(cut);
        expect(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)).toBe(cut);
        expect(text.startsWith(cut)).toBe(true);
        expect(bytes.length).toBeLessThanOrEqual(limit);
        if (Buffer.byteLength(text) > limit) expect(bytes.length).toBeGreaterThanOrEqual(limit - 3);
        else expect(cut).toBe(text);
      }),
    );
  });

  test('falls before the character that does not fit, for each of its widths and places', async () => {
    const tool = createExecuteSandboxScriptTool({ sandbox });
    for (const character of ['é', '€', '😀']) {
      for (let shift = 0; shift < 4; shift++) {
        const text = 'a'.repeat(shift) + character.repeat(maxBytes / 2);
        const script = `'a'.repeat(${shift}) + '${character}'.repeat(${maxBytes / 2})`;
        const { value, truncated, fullOutputPath } = await tool.execute({ script });
        expect(truncated).toBe(Buffer.byteLength(text) > maxBytes);
        expect(value === expectedCut(text, maxBytes), `${shift} before ${character}`).toBe(true);
        expect(fullOutputPath).toBeUndefined();
      }
    }
  });

  test('leaves exactly 64 KiB alone', async () => {
    const tool = createExecuteSandboxScriptTool({ sandbox });
    const fits = await tool.execute({ script: `'a'.repeat(${maxBytes})` });
    expect(fits).toMatchObject({ value: 'a'.repeat(maxBytes), truncated: false });
    const over = await tool.execute({ script: `'a'.repeat(${maxBytes + 1})` });
    expect(over).toMatchObject({ value: 'a'.repeat(maxBytes), truncated: true });
  });

  test('of a value that is no string cuts its compact JSON', async () => {
    const tool = createExecuteSandboxScriptTool({ sandbox });
    const script = 'Array.from({ length: 20000 }, (_, index) => ({ index }))';
    const { value, truncated } = await tool.execute({ script });
    const json = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ index })));
    expect(truncated).toBe(true);
    expect(value).toBe(json.slice(0, maxBytes));
  });
});

describe('the whole text', () => {
  test('goes to a file that is named after it', async () => {
    const outputDir = join(makeFolder(), 'media', 'out');
    const tool = createExecuteSandboxScriptTool({ sandbox, outputDir });
    const { fullOutputPath } = await tool.execute({ script: `'é'.repeat(${maxBytes})` });
    const text = 'é'.repeat(maxBytes);
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    expect(fullOutputPath).toBe(join(outputDir, `script-output-${hash}.txt`));
    expect(readFileSync(fullOutputPath as string, 'utf8')).toBe(text);
    await tool.execute({ script: `const twice = 'é'.repeat(${maxBytes}); twice` });
    expect(readdirSync(outputDir)).toEqual([`script-output-${hash}.txt`]);
  });

  test('stops at 1 MiB, at a character', async () => {
    const outputDir = makeFolder();
    const tool = createExecuteSandboxScriptTool({ sandbox, outputDir });
    const { fullOutputPath } = await tool.execute({ script: `'€'.repeat(${KiB * KiB})` });
    expect(readFileSync(fullOutputPath as string, 'utf8')).toBe('€'.repeat(Math.floor((KiB * KiB) / 3)));
  });

  test('is not written for an answer that fits', async () => {
    const outputDir = makeFolder();
    const tool = createExecuteSandboxScriptTool({ sandbox, outputDir });
    await tool.execute({ script: `'a'.repeat(${maxBytes})` });
    expect(readdirSync(outputDir)).toEqual([]);
  });

  test('says so when its folder cannot be written', async () => {
    const folder = makeFolder({ 'a file': '' });
    const tool = createExecuteSandboxScriptTool({ sandbox, outputDir: join(folder, 'a file') });
    await expect(tool.execute({ script: `'a'.repeat(${maxBytes + 1})` })).rejects.toThrow(/EEXIST|ENOTDIR/);
  });
});
