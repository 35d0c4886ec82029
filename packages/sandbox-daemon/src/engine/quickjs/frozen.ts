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
  /** Whether it was read as TypeScript, because it is not JavaScript. */
  isTyped: boolean;
}

/** How much is compared at once, because nearly all of the memory is unchanged. */
const pageBytes = 4096;
/**
 * How much is kept of a page that differs. A script's objects are small and lie apart, so whole pages took six times as
 * much.
 */
const blockBytes = 128;
const indexBytes = 4;
/** The step in which a memory of WebAssembly grows. */
const wasmPageBytes = 65_536;

/**
 * An instance as the blocks of its memory that differ from the image with which all instances begin. For a small script
 * these are 30 to 60 KB of 1.4 MB. What lies below the stack pointer is left over from calls that have ended, so it is
 * not kept.
 */
export function frozenOf(instance: Instance, { memory: base, stackPointer }: Base, kept: KeptState): Frozen {
  instance.release();
  const { memory } = instance.vm;
  return { state: { ...kept, memoryBytes: memory.length }, memory: differingBlocks(memory, base, stackPointer) };
}

function differingBlocks(memory: Buffer, base: Buffer, stackPointer: number): Buffer {
  const parts: Buffer[] = [];
  const blank = Buffer.alloc(pageBytes);
  for (let at = stackPointer - (stackPointer % pageBytes); at < memory.length; at += pageBytes) {
    const page = memory.subarray(at, at + pageBytes);
    const before = at < base.length ? base.subarray(at, at + pageBytes) : blank;
    if (page.equals(before)) continue;
    for (let start = 0; start < pageBytes; start += blockBytes) {
      const block = page.subarray(start, start + blockBytes);
      if (block.equals(before.subarray(start, start + blockBytes))) continue;
      const index = Buffer.alloc(indexBytes);
      index.writeUInt32LE((at + start) / blockBytes);
      parts.push(index, block);
    }
  }
  return Buffer.concat(parts);
}

/**
 * Gives a new instance, in which nothing has run, the memory of the frozen one.
 *
 * @throws {SandboxError} `snapshot_refused` for a memory of another shape
 */
export function thawInto({ vm }: Instance, { state, memory }: Frozen, mostBytes: number): void {
  const { memoryBytes } = state;
  const isWhole = typeof memoryBytes === 'number' && memoryBytes % wasmPageBytes === 0;
  if (!isWhole || memoryBytes < vm.memory.length || memoryBytes > mostBytes) throw damaged();
  if (memory.length % (indexBytes + blockBytes) !== 0) throw damaged();
  vm.growTo(memoryBytes / wasmPageBytes);
  const whole = vm.memory;
  for (let at = 0; at < memory.length; at += indexBytes + blockBytes) {
    const start = memory.readUInt32LE(at) * blockBytes;
    if (start + blockBytes > memoryBytes) throw damaged();
    memory.copy(whole, start, at + indexBytes, at + indexBytes + blockBytes);
  }
}

function damaged(): SandboxError {
  return new SandboxError('snapshot_refused', 'The snapshot is damaged: its memory has another shape.', {
    details: { refusal: 'damaged' },
  });
}
