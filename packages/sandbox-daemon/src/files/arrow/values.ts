import type { DataType } from '@uwdata/flechette';
import type { LoadedType, LoadedValue } from '../query/loaded.ts';

/** How the values of a column become those of a table. */
interface ColumnReader {
  type: LoadedType;
  valueOf: (value: unknown) => LoadedValue;
}

/** The types of the format by their numbers. */
export const kinds = {
  dictionary: -1,
  null: 1,
  int: 2,
  float: 3,
  binary: 4,
  utf8: 5,
  bool: 6,
  decimal: 7,
  date: 8,
  time: 9,
  timestamp: 10,
  fixedSizeBinary: 15,
  duration: 18,
  largeBinary: 19,
  largeUtf8: 20,
  binaryView: 23,
  utf8View: 24,
};

const asText = (value: unknown): string => String(value);
const asHex = (value: unknown): string => Buffer.from(value as Uint8Array).toString('hex');
const text: ColumnReader = { type: 'VARCHAR', valueOf: asText };
const bytes: ColumnReader = { type: 'VARCHAR', valueOf: asHex };

/** @throws {Error} for a type of several values, or one that means nothing in a table */
export function readerOf(type: DataType, name: string): ColumnReader {
  const { typeId } = type;
  if (typeId === kinds.dictionary) return readerOf((type as unknown as { dictionary: DataType }).dictionary, name);
  const { unit } = type as { unit?: number };
  switch (typeId) {
    case kinds.int:
      return { type: 'BIGINT', valueOf: (value) => value as number | bigint };
    case kinds.float:
    case kinds.decimal:
      return { type: 'DOUBLE', valueOf: Number };
    case kinds.bool:
      return { type: 'BOOLEAN', valueOf: (value) => value === true };
    case kinds.date:
      return { type: 'DATE', valueOf: (value) => new Date(Number(value)).toISOString().slice(0, 10) };
    case kinds.timestamp:
      return { type: 'TIMESTAMP', valueOf: (value) => momentOf(BigInt(value as number | bigint), unit ?? 0) };
    case kinds.time:
      return { type: 'VARCHAR', valueOf: (value) => momentOf(BigInt(value as number | bigint), unit ?? 0).slice(11) };
    case kinds.null:
    case kinds.utf8:
    case kinds.largeUtf8:
    case kinds.utf8View:
    case kinds.duration:
      return text;
    case kinds.binary:
    case kinds.largeBinary:
    case kinds.binaryView:
    case kinds.fixedSizeBinary:
      return bytes;
    default:
      throw new Error(
        `the column ${JSON.stringify(name)} has values in values. Parquet holds them so that query reads them`,
      );
  }
}

/** Units in a second, by the number of the unit. */
const inSecond = [1n, 1_000n, 1_000_000n, 1_000_000_000n];

/** A time as ISO 8601 with microseconds, which is what DuckDB holds. */
function momentOf(value: bigint, unit: number): string {
  const units = inSecond[unit] as bigint;
  const micros = units > 1_000_000n ? floorDiv(value, units / 1_000_000n) : value * (1_000_000n / units);
  const seconds = floorDiv(micros, 1_000_000n);
  const fraction = (micros - seconds * 1_000_000n).toString().padStart(6, '0');
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, -5)}.${fraction}`;
}

function floorDiv(value: bigint, by: bigint): bigint {
  return value / by - (value % by < 0n ? 1n : 0n);
}

/** Of the values that lie in the rows: those of a dictionary are numbers. */
export function typeIdOf(type: DataType): number {
  return type.typeId === kinds.dictionary ? kinds.int : type.typeId;
}
