import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import { mailKindOf, type MailKind } from '../mail/kinds.ts';
import { openSource } from '../source/source.ts';
import type { DataFormat } from './parsers.ts';

const byEnding: Record<string, DataFormat> = {
  yaml: 'yaml',
  yml: 'yaml',
  toml: 'toml',
  json: 'json',
  html: 'html',
  htm: 'html',
  ics: 'ics',
};

/** The kind of data in a file, by its name or its first bytes. */
export function kindOf(context: BuiltinContext, path: unknown, call: BuiltinCall): DataFormat | MailKind {
  const name = String(path);
  const ending = /\.([^./]+)(?:\.(?:gz|zst|zstd))?$/i.exec(name.toLowerCase())?.[1] ?? '';
  return byEnding[ending] ?? mailKindOf(name) ?? bySight(context, path, call);
}

function bySight(context: BuiltinContext, path: unknown, call: BuiltinCall): DataFormat | MailKind {
  using source = openSource(context, path, call);
  const start = source.format().encoding === undefined ? '' : (source.next() ?? '').toString();
  if (/^\s*<(?:!doctype\s+html|html)\b/i.test(start)) return 'html';
  if (/^BEGIN:VCALENDAR/i.test(start)) return 'ics';
  if (/^\s*</.test(start)) return 'xml';
  if (/^From \S[^\n]*\n[\w-]+:/.test(start)) return 'mbox';
  if (/^(?:Return-Path|Received|Delivered-To|Message-ID|MIME-Version):/i.test(start)) return 'eml';
  throw call.invalid(
    `read_data: the name of ${call.shown} does not say what it is. Add { format: 'yaml' }, 'toml', 'xml', 'json', 'html', 'ics', 'eml' or 'mbox'.`,
  );
}
