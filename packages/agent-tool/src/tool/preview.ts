import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { oneLine, printableCode, shorten } from '@mustard-sandbox/protocol';
import { formatBytes } from '../sizes.ts';

/** A file that a script may read, as a person sees it. */
export interface ConsentFile {
  name: string;
  /** Bytes. */
  size: number;
}

export interface PreviewFacts {
  script: string;
  description?: string | undefined;
  /** The folder that the script may read in. */
  root?: string | undefined;
  /** All files that it may read. If these are not known, the files that it names. */
  files?: readonly ConsentFile[] | undefined;
}

const width = 120;
const continued = '↪ ';
const maxDescription = 300;
/** The longest run of blanks in a line. A longer one could push the code after it out of sight. */
const maxBlanks = 40;
const maxEmptyLines = 3;
/** How many characters of the arguments of one call are shown. */
const maxArgumentText = 4_000;
const maxArguments = 1_000;

/**
 * What a dialog shows of a script: its description, the whole script, and everything that it may read. It is plain text
 * without invisible characters, and no code is left out, so a person sees exactly what will run.
 */
export function previewScript({ script, description, root, files }: PreviewFacts): string {
  const parts = [scriptLines(script)];
  if (description !== undefined && description.trim() !== '') {
    // On one line, because line breaks in a description could imitate the parts below it.
    parts.unshift(shorten(printableCode(description.replaceAll(/\s+/g, ' ').trim()), maxDescription));
  }
  const readable = [...(root === undefined ? [] : [`the folder ${nameOf(root)}`]), ...fileNames(script, files)];
  if (readable.length > 0) parts.push(`May read: ${readable.join(', ')}`);
  return parts.join('\n\n');
}

/**
 * A call of a host function, for the same dialog: `deploy("production")`. Arguments of more than 4,000 characters are
 * cut, and the text then tells their length and SHA-256. A dialog that wants to show all of them gets the arguments too.
 */
export function previewCall(name: string, args: readonly unknown[]): string {
  const json = JSON.stringify(args);
  const text = args.slice(0, maxArguments).map(shown).join(', ');
  if (json.length <= maxArgumentText && text.length <= maxArgumentText) return `The script calls ${name}(${text})`;
  const hash = createHash('sha256').update(json).digest('hex').slice(0, 16);
  const count = `${args.length} ${args.length === 1 ? 'argument' : 'arguments'}`;
  const all = `${count}, ${formatBytes(Buffer.byteLength(json))} of JSON, SHA-256 ${hash}…`;
  return `The script calls ${name}(${shorten(text, maxArgumentText)})\n\nNot all of it is shown: ${all}`;
}

/** The value in the form of a script, because JSON would show NaN and Infinity as null. */
function shown(value: unknown): string {
  const text = inspect(value, {
    depth: Infinity,
    maxArrayLength: maxArguments,
    maxStringLength: maxArgumentText,
    breakLength: Infinity,
    compact: true,
    customInspect: false,
  });
  return oneLine(printableCode(text), maxArgumentText);
}

function scriptLines(script: string): string {
  const lines = script.replaceAll('\r\n', '\n').split('\n').map(shownLine);
  while (lines.at(-1) === '') lines.pop();
  return withoutEmptyRuns(lines).flatMap(wrapped).join('\n');
}

/** A line in which nothing is invisible. A long run of blanks of any kind is replaced by a text that names it. */
function shownLine(line: string): string {
  const named = withoutBlanksAtTheEnd(line).replace(/[\p{Zs}\t\u2800\u3164\u115f\u1160\uffa0]+/gu, (blanks) =>
    blanks.length <= maxBlanks ? blanks : ` ⟨${blanks.length} blanks⟩ `,
  );
  return printableCode(named);
}

/** Only ordinary blanks are removed, because `trimEnd` removes separators and marks too. */
function withoutBlanksAtTheEnd(line: string): string {
  let end = line.length;
  while (end > 0 && /[\p{Zs}\t]/u.test(line[end - 1] as string)) end--;
  return line.slice(0, end);
}

function withoutEmptyRuns(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (let start = 0; start < lines.length;) {
    let end = start;
    while (end < lines.length && lines[end] === '') end++;
    const empty = end - start;
    if (empty > maxEmptyLines) kept.push(`⟨${empty} empty lines⟩`);
    else kept.push(...lines.slice(start, end));
    if (end < lines.length) kept.push(lines[end] as string);
    start = end + 1;
  }
  return kept;
}

/** Wraps lines to the width of a dialog, so that nothing is beyond its edge. */
function wrapped(line: string): string[] {
  const characters = Array.from(line);
  const rows = [`  ${characters.slice(0, width).join('')}`];
  for (let start = width; start < characters.length; start += width - continued.length) {
    rows.push(`  ${continued}${characters.slice(start, start + width - continued.length).join('')}`);
  }
  return rows.map((row) => row.trimEnd());
}

function nameOf(name: string): string {
  return oneLine(printableCode(name));
}

/** The attachments. Those that the script names come first. */
function fileNames(script: string, files: readonly ConsentFile[] | undefined): string[] {
  if (files === undefined) return namesIn(script).map(nameOf);
  const named = new Set(namesIn(script));
  const sorted = [...files.filter(({ name }) => named.has(name)), ...files.filter(({ name }) => !named.has(name))];
  return sorted.map(({ name, size }) => `${nameOf(name)} (${formatBytes(size)})`);
}

/** The attachments that a script names in a string literal. */
function namesIn(script: string): string[] {
  const names = [...script.matchAll(/(["'`])attachments:([^"'`\n]+)\1/g)].map(([, , name]) => name as string);
  return [...new Set(names)];
}
