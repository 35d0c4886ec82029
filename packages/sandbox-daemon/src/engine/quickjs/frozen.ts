import { SandboxError } from '@mustard-sandbox/protocol';
import type { Frozen } from '../interface.ts';
import type { Base, Instance } from './stock.ts';
import type { Value } from './vm.ts';

/** What a run knows of itself outside of the memory of its instance. Values are pointers into that memory. */
export interface KeptState {
  instructions: number;
  value: Value;
  isWrapped: boolean;
  pending: number;
  unhandled: [promise: Value, reason: string][];
  /** It was read as TypeScript, because it is no JavaScript. */
  isTyped: boolean;
}

/** As the operating system has them; WebAssembly's own are 16 times as large, and hold too much that did not change. */
const pageBytes = 4096;
const indexBytes = 4;

/**
 * An instance as the pages of its memory in which it differs from the image that all instances begin with: of 1.4 MB that
 * are 40 to 60 pages for a small script. What is below the stack pointer is left over from calls that have ended.
 */
export function frozenOf(instance: Instance, { memory: base, stackPointer }: Base, kept: KeptState): Frozen {
  instance.release();
  const { memory } = instance.vm;
  return { state: { ...kept, memoryBytes: memory.length }, memory: differingPages(memory, base, stackPointer) };
}

function differingPages(memory: Buffer, base: Buffer, stackPointer: number): Buffer {
  const parts: Buffer[] = [];
  const blank = Buffer.alloc(pageBytes);
  for (let at = stackPointer - (stackPointer % pageBytes); at < memory.length; at += pageBytes) {
    const page = memory.subarray(at, at + pageBytes);
    const before = at < base.length ? base.subarray(at, at + pageBytes) : blank;
    if (page.equals(before)) continue;
    const index = Buffer.alloc(indexBytes);
    index.writeUInt32LE(at / pageBytes);
    parts.push(index, page);
  }
  return Buffer.concat(parts);
}

/**
 * The whole memory of an instance again.
 *
 * @throws {SandboxError} `snapshot_refused` for what has another shape
 */
export function thawedMemory({ state, memory }: Frozen, { memory: base }: Base, mostBytes: number): Buffer {
  const { memoryBytes } = state;
  const isWhole = typeof memoryBytes === 'number' && memoryBytes % 65_536 === 0 && memoryBytes >= base.length;
  if (!isWhole || memoryBytes > mostBytes || memory.length % (indexBytes + pageBytes) !== 0) throw damaged();
  const whole = Buffer.alloc(memoryBytes);
  base.copy(whole);
  for (let at = 0; at < memory.length; at += indexBytes + pageBytes) {
    const start = memory.readUInt32LE(at) * pageBytes;
    if (start + pageBytes > memoryBytes) throw damaged();
    memory.copy(whole, start, at + indexBytes, at + indexBytes + pageBytes);
  }
  return whole;
}

function damaged(): SandboxError {
  return new SandboxError('snapshot_refused', 'The snapshot is damaged: its memory has another shape.', {
    details: { refusal: 'damaged' },
  });
}
