import { limitTable, withTimeout, type LimitOptions } from '@mustard-sandbox/client';
import { parseDuration, parseSize } from './arguments.ts';

/** @throws {UsageError} */
export function limitsOfFlags({ timeout, heap }: { timeout?: string; heap?: string }): LimitOptions {
  const limits: LimitOptions = {};
  if (timeout !== undefined) {
    const timeoutMs = parseDuration('--timeout', timeout, { min: 1, max: limitTable.timeoutMs.ceiling });
    Object.assign(limits, withTimeout(timeoutMs));
  }
  if (heap !== undefined) limits.heapBytes = parseSize('--heap', heap, { min: 1, max: limitTable.heapBytes.ceiling });
  return limits;
}
