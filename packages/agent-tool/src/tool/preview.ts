import { printable, shorten } from '@mustard-sandbox/client';
import { formatBytes } from '../sizes.ts';

/** A file that a script may read, as a person should see it. */
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
  /** All files that it may read; not known: those that it names. */
  files?: readonly ConsentFile[] | undefined;
}

const maxLines = 12;
const maxLineLength = 160;
const maxFiles = 10;
const maxDescription = 300;

/**
 * What a dialog shows of a script: its description, its first lines, and what it may read. Plain text in which
 * nothing is invisible; a dialog that shows all of the script does it beside this.
 */
export function previewScript({ script, description, root, files }: PreviewFacts): string {
  const parts = [scriptLines(script)];
  if (description !== undefined && description.trim() !== '') {
    // One line: a description with line breaks could pass for the parts below it.
    parts.unshift(shorten(printable(description.replaceAll(/\s+/g, ' ').trim()), maxDescription));
  }
  const readable = [...(root === undefined ? [] : [`the folder ${printable(root)}`]), ...fileNames(script, files)];
  if (readable.length > 0) parts.push(`May read: ${readable.join(', ')}`);
  return parts.join('\n\n');
}

/** A call of a host function, for the same dialog: `deploy("production")`. */
export function previewCall(name: string, args: readonly unknown[]): string {
  const shown = args.map((arg) => shorten(printable(JSON.stringify(arg) ?? 'undefined'), maxLineLength));
  return `The script calls ${name}(${shown.join(', ')})`;
}

function scriptLines(script: string): string {
  const lines = printable(script).trimEnd().split('\n');
  const shown = lines.slice(0, maxLines).map((line) => `  ${shorten(line, maxLineLength)}`);
  const left = lines.length - shown.length;
  if (left > 0) shown.push(`  … ${left} more ${left === 1 ? 'line' : 'lines'}`);
  return shown.join('\n');
}

function fileNames(script: string, files: readonly ConsentFile[] | undefined): string[] {
  const names =
    files?.map(({ name, size }) => `${printable(name)} (${formatBytes(size)})`) ?? namesIn(script).map(printable);
  const left = names.length - maxFiles;
  return left > 0 ? [...names.slice(0, maxFiles), `and ${left} more`] : names;
}

/** Attachments that a script names as one string. */
function namesIn(script: string): string[] {
  const names = [...script.matchAll(/(["'`])attachments:([^"'`\n]+)\1/g)].map(([, , name]) => name as string);
  return [...new Set(names)];
}
