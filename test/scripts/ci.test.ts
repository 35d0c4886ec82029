import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../docs/blocks.ts';

interface Workflow {
  jobs: { steps: { strategy: { matrix: { steps: string[]; include: { steps: string }[] } } } };
}

test.skipIf(process.platform === 'win32')(
  'the jobs of the workflow are the groups of .ci/run, each shard once',
  async () => {
    const { exitCode, stderr } = await execa(join(root, '.ci/run'), ['nothing'], { reject: false });
    expect(exitCode).toBe(2);
    const groups = /Groups: ([\w ]+)\./.exec(stderr)?.[1]?.split(' ');

    const { jobs } = parse(readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8')) as Workflow;
    const { steps, include } = jobs.steps.strategy.matrix;
    const runs = [...steps, ...include.map((each) => each.steps)];
    expect(new Set(runs.map((each) => each.split(' ')[0]))).toEqual(new Set(groups));

    const shards = steps.flatMap((each) => each.split(' ')[1] ?? []);
    expect(shards).toEqual(shards.map((_, index) => `${index + 1}/${shards.length}`));
  },
);

test.skipIf(process.platform === 'win32')(
  'installs what tests need as root, or by sudo without a password',
  async () => {
    const bin = mkdtempSync(join(tmpdir(), 'ci-bin-'));
    onTestFinished(() => rmSync(bin, { recursive: true }));
    for (const name of ['bash', 'cat', 'dirname', 'rm', 'env']) {
      symlinkSync((await execa('/bin/sh', ['-c', `command -v ${name}`])).stdout, join(bin, name));
    }
    const fakes = { npm: '', sysctl: '', 'apt-get': 'echo "root: $*" >&3', sudo: 'echo "sudo: $*" >&3' };
    const runAs = async (user: number): Promise<string[]> => {
      for (const [name, body] of Object.entries({ ...fakes, id: `echo ${user}` }))
        writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
      const { stdout } = await execa(join(bin, 'bash'), ['-c', '.ci/run tests 3>&1'], {
        cwd: root,
        env: { PATH: bin, CI: '1' },
        extendEnv: false,
      });
      return stdout.split('\n').filter((line) => line.includes('install -y'));
    };
    const installs = ['bubblewrap', 'redis-server', 'chromium'].map((name) => `install -y -qq ${name}`);
    expect(await runAs(1000)).toEqual(installs.map((install) => `sudo: -n apt-get ${install}`));
    expect(await runAs(0)).toEqual(installs.map((install) => `root: ${install}`));
  },
);

test('the tasks of the editor are npm scripts that are there', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const { tasks } = JSON.parse(readFileSync(join(root, '.vscode/tasks.json'), 'utf8')) as {
    tasks: { type: string; script?: string }[];
  };
  const named = tasks.flatMap(({ type, script }) => (type === 'npm' ? script : []));
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !Object.hasOwn(scripts, name as string))).toEqual([]);
});

test('.nvmrc is the oldest Node that the packages take', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
  const oldest = /\d+/.exec(engines.node)?.[0];
  expect(readFileSync(join(root, '.nvmrc'), 'utf8').trim()).toBe(oldest);
});
