import { expect, test } from 'vitest';
import { startOfCall } from '../../packages/sandbox-daemon/src/engine/call-location.ts';

/** What QuickJS 3.6 tells for each of these calls of `write`, and where the call begins. */
test.each([
  ['await Promise.all([write("small"), write("big")])', [1, 19], [1, 20]],
  ['await Promise.all([write("small"), write("big")])', [1, 35], [1, 36]],
  ['const a = await write("x" + 1, other(2));', [1, 31], [1, 17]],
  ['write(1)', [1, 1], [1, 1]],
  ['write (\n "a",\n {b:1})', [2, 2], [1, 1]],
  ['x(write({a:1}))\nfunction x(){}', [1, 2], [1, 3]],
  ['const overwrite = 1; write(`${1}`, [1,2].map((x)=>x))', [1, 41], [1, 22]],
  ['const f = write; f(1)', [1, 18], [1, 18]],
] as const)('%s at %j', (source, [line, column], [startLine, startColumn]) => {
  const place = startOfCall(source, 'write', { line, column });
  expect([place.line, place.column]).toEqual([startLine, startColumn]);
});
