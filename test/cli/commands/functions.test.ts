import { builtinNames } from '@mustard-sandbox/protocol';
import { expect, it } from 'vitest';
import { cliInProcess as cli } from '../in-process.ts';
import { parseOnly } from '../support.ts';

it('prints each function with what it does', async () => {
  const { exitCode, stdout } = await cli(['functions']);
  expect(exitCode).toBe(0);
  for (const name of builtinNames) expect(stdout).toMatch(new RegExp(`^declare function ${name}\\(`, 'm'));
});

it('prints one, and says which one was meant', async () => {
  const { stdout } = await cli(['functions', 'search']);
  expect(stdout.match(/^declare function/gm)).toHaveLength(1);
  const wrong = await cli(['functions', 'serch']);
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain('Did you mean search?');
});

it('prints them as JSON', async () => {
  const { functions } = parseOnly(await cli(['functions', '--json'])) as unknown as { functions: { name: string }[] };
  expect(functions.map(({ name }) => name)).toEqual(builtinNames);
  expect(functions[0]).toMatchObject({ isInstalled: true, declaration: expect.stringContaining('declare function') });
});
