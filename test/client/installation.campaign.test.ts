import { build } from 'esbuild';
import { execa } from 'execa';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { builtinNames, installedBuiltins } from '../../packages/sandbox-client/src/index.ts';
import { makeFolder } from '../files/support.ts';
import { installCopy } from '../install-copy.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** A host whose descriptors are all taken at its first run, and free again afterwards. */
const shortOfDescriptors = (options: string): string => `
  import { closeSync, openSync } from 'node:fs';
  import { createSandbox, installedBuiltins } from '@mustard-sandbox/client';
  const sandbox = createSandbox({ spares: 0, maxCrashes: 2, cooldownMs: 100, ...${options} });
  const run = () => sandbox.run({ script: '6 * 7' }).then(({ value }) => value, ({ message }) => message);
  const held = [];
  try {
    for (;;) held.push(openSync('/dev/null'));
  } catch {}
  installedBuiltins();
  const first = await run();
  for (const fd of held) closeSync(fd);
  let last;
  for (const end = Date.now() + 60_000; last !== 42 && Date.now() < end;) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    last = await run();
  }
  console.log(JSON.stringify([first, last]));
  await sandbox.close();`;

/** An application with the client and the daemon as copies of its own. */
let application: string;
beforeEach(() => {
  application = makeFolder();
  for (const [folder, name] of [
    ['sandbox-client', 'client'],
    ['sandbox-daemon', 'daemon'],
  ] as const) {
    installCopy(folder, join(application, 'node_modules/@mustard-sandbox', name));
  }
  for (const name of ['zod', '@mustardscript']) {
    symlinkSync(join(repository, 'node_modules', name), join(application, 'node_modules', name), 'junction');
  }
});
const daemon = (): string => join(application, 'node_modules/@mustard-sandbox/daemon');

const program = (options = '{}'): string => `
  import { createSandbox } from '@mustard-sandbox/client';
  console.log('loaded');
  async function main() {
    const sandbox = createSandbox({ spares: 0, ...${options} });
    const said = await sandbox.run({ script: '6 * 7' }).then(({ value }) => value, ({ code, message }) => code + ' ' + message);
    console.log(said);
    await sandbox.close();
  }
  main();`;

async function output(file: string): Promise<string[]> {
  const { stdout } = await execa(process.execPath, [file], { cwd: dirname(file) });
  return stdout.split('\n');
}

async function run(options?: string): Promise<string[]> {
  const file = join(application, 'program.mjs');
  writeFileSync(file, program(options));
  return await output(file);
}

describe('a program whose daemon', () => {
  it('is as it was installed runs scripts', async () => {
    expect(await run()).toEqual(['loaded', '42']);
  });

  it.each(['dist/main.cjs', '.'])('lacks %s loads, and its first run says what is missing', async (part) => {
    rmSync(join(daemon(), part), { recursive: true });
    const missing =
      /^sidecar_unavailable .*@mustard-sandbox\/daemon is not on the disk.*docs\/embedding\.md, "Bundlers"/;
    expect(await run()).toEqual(['loaded', expect.stringMatching(missing)]);
  });

  it.each([
    ['is no JavaScript', 'main.cjs', 'this is no JavaScript'],
    ['throws at once', 'main.cjs', "throw new Error('broken')"],
    ['ends at once', 'main.cjs', 'process.exit(0)'],
    ['has a program that is none', 'sidecar.cjs', 'this is no JavaScript'],
    ['has an empty program', 'sidecar.cjs', ''],
  ])('%s loads, and its first run fails', async (_, file, text) => {
    writeFileSync(join(daemon(), 'dist', file), text);
    expect(await run('{ maxCrashes: 2 }')).toEqual(['loaded', expect.stringMatching(/^sidecar_unavailable /)]);
  });

  // Of descriptors the shell of Windows can take none away.
  it.skipIf(process.platform === 'win32').each(['{}', "{ roots: ['.'] }"])(
    'cannot be looked up for want of a descriptor is looked up again, with %s',
    async (options) => {
      const file = join(application, 'program.mjs');
      writeFileSync(file, shortOfDescriptors(options));
      const shell = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, file];
      const { stdout } = await execa('sh', shell, { cwd: application });
      const [first, last] = JSON.parse(stdout) as unknown[];
      expect(first).toMatch(/this process cannot open a file \(EMFILE\)/);
      expect(last).toBe(42);
    },
  );

  it('is run by Bun says that it is not supported, and advises no other try', async () => {
    const file = join(application, 'program.mjs');
    const bun = "Object.defineProperty(process, 'versions', { value: { ...process.versions, bun: '1.4.5' } });";
    writeFileSync(file, `${bun}\n${program('{ cooldownMs: 60_000 }')}`);
    const said = /^engine_unavailable Bun \(1\.4\.5\) is not supported\. Start this program with Node/;
    expect(await output(file)).toEqual(['loaded', expect.stringMatching(said)]);
  });

  it('is not there runs what the option command names', async () => {
    const elsewhere = join(application, 'elsewhere');
    mkdirSync(elsewhere);
    cpSync(daemon(), join(elsewhere, 'daemon'), { recursive: true });
    rmSync(daemon(), { recursive: true });
    const command = JSON.stringify([process.execPath, join(elsewhere, 'daemon/dist/main.cjs')]);
    expect(await run(`{ command: ${command} }`)).toEqual(['loaded', '42']);
  });
});

describe('a program in one file by a bundler', () => {
  async function bundle(format: 'esm' | 'cjs', external: string[]): Promise<string> {
    const outfile = join(application, 'out', format === 'esm' ? 'program.mjs' : 'program.cjs');
    await build({
      stdin: { contents: program(), resolveDir: application },
      outfile,
      format,
      bundle: true,
      platform: 'node',
      external,
      logLevel: 'silent',
    });
    return outfile;
  }

  it.each(['esm', 'cjs'] as const)('loads as %s, and its first run names the page', async (format) => {
    const file = await bundle(format, []);
    // On the machine of a user there is nothing but the file.
    rmSync(join(application, 'node_modules'), { recursive: true });
    expect(await output(file)).toEqual(['loaded', expect.stringMatching(/^sidecar_unavailable .*docs\/embedding\.md/)]);
  });

  it.each(['esm', 'cjs'] as const)('runs scripts as %s with the packages left external', async (format) => {
    expect(await output(await bundle(format, ['@mustard-sandbox/*']))).toEqual(['loaded', '42']);
  });
});

it('tells nobody of query on Windows, where a file has no path by its descriptor', () => {
  expect(installedBuiltins('linux')).toEqual(builtinNames);
  expect(installedBuiltins('win32')).toEqual(builtinNames.filter((name) => name !== 'query' && name !== 'profile'));
});
