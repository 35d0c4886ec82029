import { limitTable, type LimitOptions } from '@mustard-sandbox/client';
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

/** 200 M instructions are about two seconds of work, so more time alone would be of little use. */
export function withTimeout(timeoutMs: number): LimitOptions {
  const { default: usual, ceiling } = limitTable.instructions;
  const share = Math.max(1, timeoutMs / limitTable.timeoutMs.default);
  return { timeoutMs, instructions: Math.min(ceiling, Math.round(usual * share)) };
}
