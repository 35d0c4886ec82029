import * as z from 'zod/mini';
import { maxValueBytes, type SandboxError } from '@mustard-sandbox/protocol';
import { readContent } from './archives/content.ts';
import { BuiltinCall } from './call.ts';
import type { AsideContext } from './context.ts';
import { parseOptions } from './options.ts';

const page = z.int().check(z.gte(1));
const optionsSchema = z.strictObject({ pages: z.optional(z.tuple([page, page])) });

/** A PDF is held as a whole, and its unpacked content needs memory in addition. */
const maxPdfBytes = 64 * 1024 * 1024;

/**
 * The text of the pages of a PDF. It uses pdf.js in the form in which unpdf packs it for Node: without a canvas, and
 * without anything to load. A PDF that is made to take for ever only costs the thread that it runs in.
 *
 * @throws {SandboxError} `limit_exceeded`, `script_error` for a file that is not a PDF, `invalid_request` for the
 * options, and
 *   like `openFile`
 */
export async function pdfText(context: AsideContext, [path, given]: readonly unknown[]): Promise<string[]> {
  const call = new BuiltinCall('pdf_text', path);
  return await call.runAsync(async () => {
    const { pages } = parseOptions(optionsSchema, given, call);
    const bytes = readContent(context, path, call, { most: maxPdfBytes });
    assertPdf(bytes, call);
    const { getDocumentProxy } = await library(call);
    const pdf = await context.pace.within(open(getDocumentProxy, bytes, call));
    try {
      return await readPages(pdf, pages, context, call);
    } finally {
      await pdf.destroy();
    }
  });
}

type Library = typeof import('unpdf');
type Pdf = Awaited<ReturnType<Library['getDocumentProxy']>>;

async function readPages(
  pdf: Pdf,
  [first, last]: [number, number] = [1, pdf.numPages],
  { pace }: AsideContext,
  call: BuiltinCall,
): Promise<string[]> {
  const texts: string[] = [];
  let size = 0;
  for (let number = first; number <= Math.min(last, pdf.numPages); number++) {
    const text = await pace.within(textOfPage(pdf, number, call));
    size += text.length;
    if (size > maxValueBytes) throw tooLong(first, number, size, call);
    texts.push(text);
    pace.check();
  }
  return texts;
}

/**
 * Requires the mark of a PDF, which the format allows a little after the start. Without the mark pdf.js would search
 * for parts of a PDF, which takes 430 MB and seconds for 8 MB of any data.
 */
function assertPdf(bytes: Uint8Array, call: BuiltinCall): void {
  if (Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-')) return;
  throw call.failed('NotReadableError', `${call.shown} cannot be read: it is no PDF.`);
}

function tooLong(first: number, number: number, size: number, call: BuiltinCall): SandboxError {
  const less = number > first ? ` Ask for fewer: { pages: [${first}, ${number - 1}] }.` : '';
  const why = `the text of pages ${first} to ${number} has more than ${maxValueBytes} characters.${less}`;
  return call.limitExceeded('argument_bytes', maxValueBytes, size, why);
}

async function textOfPage(pdf: Pdf, number: number, call: BuiltinCall): Promise<string> {
  try {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    return items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
  } catch {
    throw call.failed('NotReadableError', `page ${number} of ${call.shown} is broken.`);
  }
}

async function open(getDocumentProxy: Library['getDocumentProxy'], bytes: Uint8Array, call: BuiltinCall): Promise<Pdf> {
  try {
    return await getDocumentProxy(bytes, { isEvalSupported: false, useSystemFonts: false, verbosity: 0 });
  } catch (error) {
    const { name } = error as Error;
    const why = name === 'PasswordException' ? 'it is locked by a password' : 'it is no PDF, or a broken one';
    throw call.failed('NotReadableError', `${call.shown} cannot be read: ${why}.`);
  }
}

async function library(call: BuiltinCall): Promise<Library> {
  try {
    return await import('unpdf');
  } catch {
    const how = 'Whoever runs this can add it: npm install unpdf@1.7.0';
    throw call.failed('NotAvailableError', `unpdf is not installed beside the sidecar, or did not load. ${how}`);
  }
}
