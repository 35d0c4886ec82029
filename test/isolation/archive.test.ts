import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { outsideOfArchive } from '../../packages/sandbox-client/src/isolation/archive.ts';
import { installCopy } from '../install-copy.ts';
import { makeFolder, noJail } from './support.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const asElectron = pathToFileURL(join(repository, 'test/isolation/fixtures/as-electron.mjs')).href;

test.each([
  ['/opt/App/resources/app.asar/node_modules/x/main.js', '/opt/App/resources/app.asar.unpacked/node_modules/x/main.js'],
  ['C:\\App\\resources\\app.asar\\node_modules\\x.js', 'C:\\App\\resources\\app.asar.unpacked\\node_modules\\x.js'],
  ['/opt/App/resources/app.asar.unpacked/x.js', '/opt/App/resources/app.asar.unpacked/x.js'],
  ['/home/app.asarium/x.js', '/home/app.asarium/x.js'],
  ['/opt/app/node_modules/x.js', '/opt/app/node_modules/x.js'],
])('in Electron %s lies at %s', (path, outside) => {
  expect(outsideOfArchive(path, true)).toBe(outside);
  expect(outsideOfArchive(path, false)).toBe(path);
});

/** The client in `app.asar`, and what a packager leaves outside; the archive's own daemon does nothing but fail. */
function packageApplication(resources: string): void {
  const put = (from: string, archive: string, name: string): void => {
    installCopy(from, join(resources, archive, 'node_modules', name));
  };
  put('sandbox-client', 'app.asar', '@mustard-sandbox/client');
  for (const archive of ['app.asar', 'app.asar.unpacked']) put('sandbox-daemon', archive, '@mustard-sandbox/daemon');
  writeFileSync(join(resources, 'app.asar/node_modules/@mustard-sandbox/daemon/dist/main.cjs'), 'process.exit(9);\n');
  link('zod', join(resources, 'app.asar'));
  link('@mustardscript', join(resources, 'app.asar.unpacked'));
}

function link(name: string, archive: string): void {
  const target = join(archive, 'node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(repository, 'node_modules', name), target, 'junction');
}

describe('an Electron application', () => {
  let resources: string;
  beforeEach(() => {
    resources = makeFolder();
    packageApplication(resources);
  });

  async function run(code: string): Promise<string> {
    const input = `import { createSandbox } from '@mustard-sandbox/client';\n${code}`;
    const options = { input, cwd: join(resources, 'app.asar') };
    const { stdout } = await execa(process.execPath, ['--import', asElectron, '--input-type=module'], options);
    return stdout;
  }
  const answer = `
    const { value } = await sandbox.run({ script: '6 * 7' });
    console.log(value, sandbox.stats().isolation.active);
    await sandbox.close();`;

  it('runs the sidecar that lies beside the archive', async () => {
    expect(await run(`const sandbox = createSandbox({ spares: 0 });${answer}`)).toBe('42 process');
  });

  it.skipIf(noJail !== undefined)('runs it in a jail', async () => {
    expect(await run(`const sandbox = createSandbox({ isolation: 'jail', roots: ['.'], spares: 0 });${answer}`)).toBe(
      '42 jail',
    );
  });

  it('whose binary is no Node, because its fuse is off, is started once, and the fuse is named', async () => {
    // As Electron without the fuse: it ignores ELECTRON_RUN_AS_NODE, and shows a window until it is closed.
    const application = join(resources, 'application');
    writeFileSync(application, `#!/bin/sh\necho window >> '${application}.windows'\nexec sleep 60\n`, { mode: 0o755 });
    const output = await run(`
      Object.defineProperty(process, 'execPath', { value: ${JSON.stringify(application)} });
      const sandbox = createSandbox({ isolation: 'process', startTimeoutMs: 1_000, maxProcesses: 4 });
      const runs = Array.from({ length: 5 }, () => sandbox.run({ script: '1' }).catch((error) => error));
      for (const error of [...(await Promise.all(runs)), await sandbox.run({ script: '1' }).catch((error) => error)]) {
        console.log(error.code, error.message.includes('fuse runAsNode is off'));
      }
      await sandbox.close();`);
    expect(output.split('\n')).toEqual(Array.from({ length: 6 }, () => 'sidecar_unavailable true'));
    expect(readFileSync(`${application}.windows`, 'utf8')).toBe('window\n');
  });

  it.each(['process', 'auto'])('is told when nothing was unpacked (%s)', async (isolation) => {
    rmSync(join(resources, 'app.asar.unpacked'), { recursive: true });
    const output = await run(`
      const sandbox = createSandbox({ isolation: '${isolation}', roots: ['.'] });
      const error = await sandbox.run({ script: '1' }).catch((error) => error);
      console.log(error.code, error.message);
      await sandbox.close();`);
    expect(output).toMatch(/^sidecar_unavailable .*outside of the archive \(asarUnpack\)\.$/);
  });
});
