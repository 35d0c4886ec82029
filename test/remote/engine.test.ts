import { expect, onTestFinished, test } from 'vitest';
import type { EngineChoice } from '@mustard-sandbox/client';
import { openStage } from './support.ts';

test.each<[server: EngineChoice, client: EngineChoice, engine: string, problems: number]>([
  ['auto', 'auto', 'mustardscript', 0],
  ['quickjs', 'auto', 'quickjs', 0],
  ['quickjs', 'mustardscript', 'mustardscript', 1],
  ['mustardscript', 'auto', 'mustardscript', 1],
])('a server with %s runs what a client with %s sends in %s', async (server, client, engine, problems) => {
  const stage = await openStage({ sandbox: { engine: server } });
  onTestFinished(() => stage.end());
  const remote = stage.connect({ engine: client });
  expect((await remote.run({ script: '1 + 1' })).engine).toBe(engine);
  expect(await remote.validate('class A {}')).toHaveLength(problems);
  expect(await remote.validate('class A {}', { engine: 'quickjs' })).toEqual([]);
});
