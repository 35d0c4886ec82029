// Readers whose libraries are built into the sidecar, by scripts of both engines, in a jail and without one.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noJail } from '../isolation/support.ts';
import { makeFolder } from '../files/support.ts';
import { sandbox } from './support.ts';

const fixtures = new URL('../files/fixtures/', import.meta.url);

const scripts: [name: string, file: string, script: string, value: unknown][] = [
  [
    'mail, page by page',
    'mail/mails.mbox',
    `const subjects = [];
     let start = 0;
     while (start !== undefined) {
       const page = read_data('mails.mbox', { start, limit: 3 });
       for (const mail of page.records) subjects.push(mail.from.address);
       start = page.next;
     }
     subjects.length`,
    7,
  ],
  [
    'mail as a table',
    'mail/mails.mbox',
    `query("select count(*)::int n from m where text like '%files%'", { m: 'mails.mbox' }).rows[0].n`,
    1,
  ],
  ['Arrow', 'arrow/lz4.feather', `query('select sum(i)::bigint n from t', { t: 'lz4.feather' }).rows[0].n`, 4294967304],
  [
    'Arrow as a stream',
    'arrow/types.arrows',
    `query('select count(*)::int n from t', { t: 'types.arrows' }).rows[0].n`,
    10,
  ],
];

const engines = ['quickjs', 'mustardscript'] as const;
const isolations = noJail === undefined ? (['process', 'jail'] as const) : (['process'] as const);

test.each(
  scripts.flatMap((one) =>
    engines.flatMap((engine) => isolations.map((isolation) => [...one, engine, isolation] as const)),
  ),
)('%s is read by a script (%#)', { timeout: 60_000 }, async (_, file, script, value, engine, isolation) => {
  const root = makeFolder();
  copyFileSync(new URL(file, fixtures), join(root, file.slice(file.lastIndexOf('/') + 1)));
  const box = sandbox({ roots: [root], isolation });
  const result = await box.run({ script, engine, scope: { root }, limits: { timeoutMs: 10_000 } });
  expect(result.value).toEqual(value);
});
