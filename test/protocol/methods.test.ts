import { expect, it } from 'vitest';
import { parse, requests } from '@mustard-sandbox/protocol';

const { params } = requests['sandbox/run'];
const run = { runId: '1', script: '1 + 1' };

it('a run without scope and limits has the same as one with empty ones', () => {
  const filledIn = parse(params, { ...run, scope: {}, limits: {} }, 'params');
  expect(parse(params, run, 'params')).toEqual(filledIn);
  // All functions, and no file for them.
  expect(filledIn.scope).toMatchObject({ attachments: [] });
  expect(filledIn.scope).not.toHaveProperty('root');
  expect(filledIn.limits.timeoutMs).toBeGreaterThan(0);
});
