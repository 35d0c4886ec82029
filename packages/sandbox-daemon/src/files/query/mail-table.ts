import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import { mailKindOf } from '../mail/kinds.ts';
import { mailsOf } from '../mail/mails.ts';
import { mailRecord } from '../mail/record.ts';
import type { Loaded, LoadedValue } from './loaded.ts';

const columns: Loaded['columns'] = [
  { name: 'id', type: 'VARCHAR' },
  { name: 'date', type: 'TIMESTAMP' },
  { name: 'from_name', type: 'VARCHAR' },
  { name: 'from_address', type: 'VARCHAR' },
  { name: 'to_addresses', type: 'VARCHAR' },
  { name: 'cc_addresses', type: 'VARCHAR' },
  { name: 'subject', type: 'VARCHAR' },
  { name: 'text', type: 'VARCHAR' },
  { name: 'attachments', type: 'VARCHAR' },
  { name: 'size', type: 'BIGINT' },
  { name: 'problem', type: 'VARCHAR' },
  { name: 'filename', type: 'VARCHAR' },
];

/** The mails of files as a table. Lists become texts, with a comma and a space between the items. */
export function mailTable(context: BuiltinContext, files: readonly { path: string; call: BuiltinCall }[]): Loaded {
  return { columns, rows: rowsOf(context, files) };
}

async function* rowsOf(
  context: BuiltinContext,
  files: readonly { path: string; call: BuiltinCall }[],
): AsyncGenerator<LoadedValue[], void> {
  for (const { path, call } of files) {
    for (const raw of mailsOf(context, path, mailKindOf(path) ?? 'mbox', call)) {
      context.pace.check();
      const mail = await mailRecord(raw);
      yield [
        mail.id,
        // DuckDB accepts a time with a zone as a text, but not as a TIMESTAMP.
        mail.date?.replace('Z', '') ?? null,
        mail.from?.name ?? null,
        mail.from?.address ?? null,
        mail.to.map(({ address }) => address).join(', '),
        mail.cc.map(({ address }) => address).join(', '),
        mail.subject,
        mail.text,
        mail.attachments.map(({ name, type }) => name ?? type).join(', '),
        mail.size,
        mail.problem ?? null,
        path,
      ];
    }
  }
}
