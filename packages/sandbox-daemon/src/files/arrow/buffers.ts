import type { Batch } from '@uwdata/flechette';
import { kinds } from './values.ts';

const viewBytes = 16;
const withOffsets = new Set([kinds.utf8, kinds.largeUtf8, kinds.binary, kinds.largeBinary]);

/**
 * Requires that the buffers of a column hold as many values as the batch has rows. The library takes what is missing
 * for null, and so a few bytes for a table without end.
 */
export function assertFilled(batch: Batch<unknown>, typeId: number): void {
  const rows = batch.length;
  if (rows === 0) return;
  const { validity, values, offsets } = batch as unknown as Record<'validity' | 'values' | 'offsets', Buffers>;
  const bits = Math.ceil(rows / 8);
  const isFilled =
    (isEmpty(validity) || validity.length >= bits) &&
    (typeId === kinds.null ||
      (withOffsets.has(typeId) ? isLong(offsets, rows + 1) : isLong(values, sizeOf(typeId, rows))));
  if (!isFilled) throw new Error('it has fewer values than it says');
}

type Buffers = { length: number } | null | undefined;

function isEmpty(buffer: Buffers): buffer is null | undefined | { length: 0 } {
  return buffer === null || buffer === undefined || buffer.length === 0;
}

function isLong(buffer: Buffers, length: number): boolean {
  return !isEmpty(buffer) && buffer.length >= length;
}

/** How many items the buffer of values has at least. */
function sizeOf(typeId: number, rows: number): number {
  if (typeId === kinds.bool) return Math.ceil(rows / 8);
  return typeId === kinds.utf8View || typeId === kinds.binaryView ? rows * viewBytes : rows;
}
