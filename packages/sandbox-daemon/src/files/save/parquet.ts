import { parquetWriteBuffer } from 'hyparquet-writer/src/write.js';
import { textOfCell, type Table } from './table.ts';

type Type = 'BOOLEAN' | 'INT64' | 'DOUBLE' | 'STRING';

/** Rows as Parquet. A column has numbers or booleans if all of its values are such, and texts otherwise. */
export function parquetOf({ columns, rows }: Table, check: () => void): Buffer {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 1);
  const names = columns ?? Array.from({ length: width }, (_, at) => `column${at + 1}`);
  const columnData = names.map((name, at) => {
    check();
    const values = rows.map((row) => row[at] ?? null);
    const type = typeOf(values);
    return { name, type, data: values.map((value) => (value === null ? null : converted(value, type))) };
  });
  return Buffer.from(parquetWriteBuffer({ columnData, createdBy: 'mustard-sandbox' }));
}

function typeOf(values: readonly unknown[]): Type {
  const present = values.filter((value) => value !== null);
  if (present.length === 0) return 'STRING';
  if (present.every((value) => typeof value === 'boolean')) return 'BOOLEAN';
  if (present.every((value) => Number.isSafeInteger(value) && !Object.is(value, -0))) return 'INT64';
  return present.every((value) => typeof value === 'number') ? 'DOUBLE' : 'STRING';
}

function converted(value: unknown, type: Type): unknown {
  if (type === 'INT64') return BigInt(value as number);
  return type === 'STRING' ? textOfCell(value) : value;
}
