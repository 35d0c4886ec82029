import { formatBytes } from '@mustard-sandbox/agent-tool';
import type { RunStats } from '@mustard-sandbox/client';

/** One line: `42 ms · 80 file calls · 80 MB read · 1.2 M instructions`. Zeros are left out. */
export function describeStatistics({ executionMs, hostCalls, bytesRead, instructionsUsed }: RunStats): string {
  const parts = [formatMs(executionMs)];
  if (hostCalls > 0) parts.push(`${formatCount(hostCalls)} file ${hostCalls === 1 ? 'call' : 'calls'}`);
  if (bytesRead > 0) parts.push(`${formatBytes(bytesRead)} read`);
  parts.push(`${formatCount(instructionsUsed)} ${instructionsUsed === 1 ? 'instruction' : 'instructions'}`);
  return parts.join(' · ');
}

/** `0.21 ms`, `42 ms`, `2.4 s`. */
export function formatMs(ms: number): string {
  if (ms >= 999.5) return `${Math.round(ms / 100) / 10} s`;
  return `${ms < 1 ? Math.round(ms * 100) / 100 : ms < 9.95 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
}

/** `812`, `1.2 k`, `200 M`. */
export function formatCount(count: number): string {
  let value = count;
  let suffix = 0;
  for (; value >= 999.5 && suffix < 3; suffix++) value /= 1000;
  return `${value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value)}${['', ' k', ' M', ' G'][suffix]}`;
}
