import { expect, test } from 'vitest';
import { formatBytes } from '@mustard-sandbox/agent-tool';

test.each([
  [0, '0 B'],
  [512, '512 B'],
  [1023, '1023 B'],
  [1024, '1 KB'],
  [1536, '1.5 KB'],
  [1100, '1.1 KB'],
  [42 * 1024, '42 KB'],
  [10.4 * 1024, '10 KB'],
  [9.96 * 1024, '10 KB'],
  [1024 * 1024 - 1, '1 MB'],
  [83_886_090, '80 MB'],
  [847 * 1024, '847 KB'],
  [3.25 * 1024 ** 3, '3.3 GB'],
  [5000 * 1024 ** 4, '5000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
