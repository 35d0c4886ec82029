import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createSandbox, type RunOptions } from '@mustard-sandbox/client';
import { describe, expect, it } from 'vitest';
import { nodeFlags } from '../../packages/sandbox-client/src/node-flags.ts';
import { makeFolder } from '../files/support.ts';

const main = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');

/** Backtracking takes minutes for it. V8's engine of linear time takes over where its flag is set. */
const slow = String.raw`/^(a+)+$/`;
const line = `${'a'.repeat(40)}b`;

describe('the flags of V8 that a sidecar forgets while it starts', () => {
  it('have done what they do at the start: no text becomes code, there is gc(), and the stack is large', async () => {
    const { hasGc, evaluated, depth } = await seenAtTheEnd({ script: '1 + 1' });
    expect({ hasGc, evaluated }).toEqual({ hasGc: true, evaluated: 'EvalError' });
    if (process.platform !== 'win32') expect(depth).toBeGreaterThan(20_000);
  });

  it.each<[string, boolean]>([
    ['1 + 1', true],
    ["'a code=1 '.repeat(10_000).match(/code=(\\d)/g).length", false],
  ])('are none until a script has a pattern for V8: %s', async (script, isOfBuild) => {
    expect((await seenAtTheEnd({ script })).isOfBuild).toBe(isOfBuild);
  });

  it('hold for the first pattern of the first script: in a search, and over a long text', async () => {
    const root = makeFolder();
    writeFileSync(join(root, 'a.txt'), `${line}\n`.repeat(2_000));
    const scripts = [`search('a.txt', ${slow}).length`, `('${line}\\n'.repeat(2_000)).match(${slow}gm)`];
    for (const script of scripts) {
      await using sandbox = createSandbox({ spares: 0 });
      const { value } = await sandbox.run({ script, scope: { root } });
      expect(value ?? 0).toBe(0);
    }
  });
});

interface Seen {
  hasGc: boolean;
  /** The name of the error of `eval`. */
  evaluated: string;
  /** How many calls nest. */
  depth: number;
  /** Whether V8 takes what was compiled without flags. */
  isOfBuild: boolean;
}

/** What a sidecar's own JavaScript finds when it ends. */
async function seenAtTheEnd(run: RunOptions): Promise<Seen> {
  const folder = makeFolder();
  const [told, compiled, look] = ['seen.json', 'compiled', 'look.cjs'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const make =
    "require('node:fs').writeFileSync(process.argv[1], new (require('node:vm').Script)('1 + 1').createCachedData())";
  execFileSync(process.execPath, ['-e', make, compiled], { env: {} });
  writeFileSync(
    look,
    `process.on('exit', () => {
      const { readFileSync, writeFileSync } = require('node:fs');
      let depth = 0;
      const dig = () => (depth++, dig());
      try { dig(); } catch {}
      let evaluated = 'nothing';
      try { (0, eval)('1'); } catch ({ name }) { evaluated = name; }
      const script = new (require('node:vm').Script)('1 + 1', { cachedData: readFileSync(${JSON.stringify(compiled)}) });
      const seen = { hasGc: typeof gc === 'function', evaluated, depth, isOfBuild: !script.cachedDataRejected };
      writeFileSync(${JSON.stringify(told)}, JSON.stringify(seen));
    });`,
  );
  const command = [process.execPath, ...nodeFlags(undefined), '-r', look, main];
  const sandbox = createSandbox({ command, spares: 0 });
  await sandbox.run(run);
  await sandbox.close();
  return JSON.parse(readFileSync(told, 'utf8')) as Seen;
}
