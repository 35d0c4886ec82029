import { readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSandbox } from '@mustard-sandbox/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { nodeFlags } from '../../packages/sandbox-client/src/node-flags.ts';
import { makeFolder } from '../files/support.ts';
import { installCopy } from '../install-copy.ts';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** A daemon of its own, which finds the engine. */
let daemon: string;
beforeEach(() => {
  const folder = makeFolder();
  symlinkSync(modules, join(folder, 'node_modules'), 'junction');
  daemon = join(folder, 'daemon');
  installCopy('sandbox-daemon', daemon);
});
const dist = (name: string): string => join(daemon, 'dist', name);
const compiled = (): string => dist('sidecar.cjs.compiled');

describe('what the build has compiled of the sidecar', () => {
  it('is used: V8 takes it for the program, and for the parser with a script that needs it', async () => {
    expect(await run()).toEqual({ value: 6, taken: { 'sidecar.cjs': true, 'reading.cjs': true } });
  });

  it('is not needed', async () => {
    rmSync(compiled());
    rmSync(dist('reading.cjs.compiled'));
    expect(await run()).toEqual({ value: 6, taken: {} });
  });

  it.each<[string, (line: string) => string]>([
    ['of another bundle', (line) => line.replace(/^\/\/./, '//x')],
    ['of another Node', (line) => line.replace(process.version, 'v20.0.0')],
    ['of another processor', (line) => line.replace(/\w+$/, 'sparc')],
  ])('is not shown to V8 when it is %s', async (_, change) => {
    const bytes = readFileSync(compiled());
    const end = bytes.indexOf(10);
    const line = bytes.toString('latin1', 0, end);
    expect(change(line)).not.toBe(line);
    writeFileSync(compiled(), Buffer.concat([Buffer.from(change(line)), bytes.subarray(end)]));
    expect(await run()).toEqual({ value: 6, taken: { 'reading.cjs': true } });
  });

  it.each<[string, () => void]>([
    ['empty', () => truncateSync(compiled())],
    ['without a line', () => writeFileSync(compiled(), 'a'.repeat(1000))],
    ['a folder', () => (rmSync(compiled()), symlinkSync(daemon, compiled(), 'junction'))],
  ])('is left alone when it is %s', async (_, change) => {
    change();
    expect(await run()).toEqual({ value: 6, taken: { 'reading.cjs': true } });
  });

  it('is refused by V8 when it is cut off', async () => {
    truncateSync(compiled(), 100_000);
    expect(await run()).toEqual({ value: 6, taken: { 'sidecar.cjs': false, 'reading.cjs': true } });
  });

  it('is refused by V8 when the program has another length', async () => {
    writeFileSync(dist('sidecar.cjs'), `${readFileSync(dist('sidecar.cjs'), 'utf8')}\n`);
    expect(await run()).toEqual({ value: 6, taken: { 'sidecar.cjs': false, 'reading.cjs': true } });
  });

  it('is refused by V8 when Node runs with other flags', async () => {
    expect(await run(['--no-opt'])).toEqual({ value: 6, taken: { 'sidecar.cjs': false, 'reading.cjs': false } });
  });
});

/** Runs a script in a sidecar, and tells of each bundle that came with something compiled whether V8 took that. */
async function run(flags: string[] = []): Promise<{ value: unknown; taken: Record<string, boolean> }> {
  const told = join(daemon, 'taken.json');
  const look = join(daemon, 'look.cjs');
  writeFileSync(
    look,
    `const vm = require('node:vm');
    const taken = {};
    vm.Script = class extends vm.Script {
      constructor(source, options) {
        super(source, options);
        if (options.cachedData !== undefined) taken[require('node:path').basename(options.filename)] = !this.cachedDataRejected;
      }
    };
    process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(told)}, JSON.stringify(taken)));`,
  );
  const command = [process.execPath, ...nodeFlags(undefined), ...flags, '-r', look, dist('main.cjs')];
  const sandbox = createSandbox({ command, spares: 0 });
  const { value } = await sandbox.run({ script: "return ['1', '5'].map(Number).reduce((a, b) => a + b)" });
  await sandbox.close();
  return { value, taken: JSON.parse(readFileSync(told, 'utf8')) as Record<string, boolean> };
}
