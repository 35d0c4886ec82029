// Applies deltas, with which git stores an object as a change of another one.
import { broken } from './errors.ts';

/** The size of a delta's result, from its first bytes. */
export function resultSize(delta: Buffer): number {
  return sizesOf(delta).result;
}

/** @throws {AgentError} `no_git` for a delta that does not fit its base */
export function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const sizes = sizesOf(delta);
  if (sizes.base !== base.length) throw broken('a delta of another base');
  const result = Buffer.allocUnsafe(sizes.result);
  let [from, to] = [sizes.end, 0];
  while (from < delta.length) {
    const code = delta[from++] as number;
    if ((code & 0x80) === 0) {
      if (code === 0 || from + code > delta.length || to + code > result.length) throw broken('a delta');
      delta.copy(result, to, from, from + code);
      [from, to] = [from + code, to + code];
      continue;
    }
    let [offset, size] = [0, 0];
    for (let bit = 0; bit < 4; bit++) if ((code & (1 << bit)) !== 0) offset += (delta[from++] ?? 0) * 2 ** (8 * bit);
    for (let bit = 0; bit < 3; bit++) if ((code & (16 << bit)) !== 0) size += (delta[from++] ?? 0) << (8 * bit);
    size ||= 0x10000;
    if (offset + size > base.length || to + size > result.length) throw broken('a delta');
    base.copy(result, to, offset, offset + size);
    to += size;
  }
  if (to !== result.length) throw broken('a delta');
  return result;
}

function sizesOf(delta: Buffer): { base: number; result: number; end: number } {
  const [base, start] = number(delta, 0);
  const [result, end] = number(delta, start);
  return { base, result, end };
}

function number(delta: Buffer, start: number): [value: number, end: number] {
  let value = 0;
  for (let at = start; at < Math.min(start + 7, delta.length); at++) {
    const byte = delta[at] as number;
    value += (byte & 0x7f) * 2 ** (7 * (at - start));
    if ((byte & 0x80) === 0) return [value, at + 1];
  }
  throw broken('a delta');
}
