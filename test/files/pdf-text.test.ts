import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { pdfText } from '../../packages/sandbox-daemon/src/files/pdf-text.ts';
import { SandboxError, type ScopeOptions } from '@mustard-sandbox/protocol';
import { accessTo, errorOf, makeFolder } from './support.ts';

/** Three pages, "Chapter 1" to "Chapter 3", each with some lines "Invoice INV-1234 total 56 EUR". */
const pdf = readFileSync(new URL('fixtures/three-pages.pdf', import.meta.url));

const ask = async (bytes: string | Uint8Array, options?: object, scope: ScopeOptions = {}): Promise<string[]> =>
  await pdfText(accessTo(makeFolder({ 'a.pdf': bytes }), scope), ['a.pdf', options]);

async function endOf(asked: Promise<string[]>): Promise<string[] | SandboxError> {
  return await asked.catch((error: unknown) => {
    if (error instanceof SandboxError) return error;
    throw error;
  });
}

test('gives the text of each page, or of some', async () => {
  const pages = await ask(pdf);
  expect(pages.map((text) => text.split('\n')[0])).toEqual(['Chapter 1', 'Chapter 2', 'Chapter 3']);
  expect(pages.join('\n').match(/^Invoice INV-\d{4} total \d+ EUR$/gm)?.length).toBeGreaterThan(6);
  expect(await ask(pdf, { pages: [2, 2] })).toEqual([pages[1]]);
  expect(await ask(pdf, { pages: [3, 9] })).toEqual([pages[2]]);
  // Some programs put bytes before the start: the format allows a few.
  expect(await ask(Buffer.concat([Buffer.from('\n\n'), pdf]))).toEqual(pages);
});

test('what is no PDF, is cut off or is asked for in a wrong way is said', async () => {
  for (const bytes of ['', 'no PDF', '%PDF-1.4\n']) {
    expect(await endOf(ask(bytes))).toMatchObject({ code: 'script_error', details: { name: 'NotReadableError' } });
  }
  expect(await endOf(ask(pdf, { pages: [0, 1] }))).toMatchObject({ code: 'invalid_request' });
  expect(await endOf(ask(pdf, { page: 1 }))).toMatchObject({ code: 'invalid_request' });
  expect(await endOf(ask(pdf, {}, { maxTotalReadBytes: 100 }))).toMatchObject({ code: 'limit_exceeded' });
  const files = accessTo(makeFolder({ '.env': '' }));
  for (const path of ['/etc/passwd', '.env', '../a.pdf']) {
    expect(await endOf(pdfText(files, [path]))).toMatchObject({ code: 'capability_denied' });
  }
});

test('a broken PDF ends in pages or in an error with a code', async () => {
  const damage = fc.tuple(fc.nat(pdf.length - 1), fc.integer({ min: 0, max: 255 }));
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 20 }), fc.nat(pdf.length), async (damages, length) => {
      const bytes = Buffer.from(pdf.subarray(0, Math.max(length, pdf.length / 2)));
      for (const [at, byte] of damages) if (at < bytes.length) bytes[at] = byte;
      const end = await endOf(ask(bytes));
      expect(Array.isArray(end) || end.code === 'script_error').toBe(true);
    }),
    { numRuns: 20 },
  );
});

test.each([
  ['%PDF-1.7\n\xff', /is a PDF: pdf_text/],
  ['PAR1\xff', /is a Parquet file: query/],
  ['PK\x03\x04\xff', /is a ZIP archive.*list_files\("a!\/"\)/],
  ['\x89PNG\r\n\x1a\n', /is a PNG image/],
  ['SQLite format 3\0\xff', /is an SQLite database/],
])('read_file says what %j is and what reads it', (start, says) => {
  const files = accessTo(makeFolder({ a: Buffer.from(start, 'latin1') }));
  expect(errorOf(() => files.readFile('a', undefined)).message).toMatch(says);
});
