// What runs by itself in a folder of the user's, before a command that a rule allowed.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBashTools, type BashResult } from '@mustard-sandbox/bash-tools';
import type { ConsentRequest } from '@mustard-sandbox/agent-tool';
import { describe, expect, it } from 'vitest';
import { noJail, openWorkspaces, scratchFolder } from './support.ts';

interface Stage {
  folder: string;
  asked: ConsentRequest[];
  run: (script: string) => Promise<BashResult>;
}

/** The model has written `do.sh`, and `bash do.sh` is what the rule allows. */
async function stage(backend: 'local' | 'memory', answer: 'deny' | 'allow-once' = 'deny'): Promise<Stage> {
  const folder = scratchFolder();
  const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  git('init', '-q');
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/tasks.json'), '{}');
  writeFileSync(join(folder, '.npmrc'), 'save-exact=true\n');
  mkdirSync(join(folder, 'sub/.husky'), { recursive: true });
  const workspace = await (await openWorkspaces({ backend })).open({ folder });
  const asked: ConsentRequest[] = [];
  const rules = ['bash do.sh', 'git'].map((prefix) => ({ prefix, action: 'allow' as const }));
  const consent = async (request: ConsentRequest): Promise<typeof answer> => {
    asked.push(request);
    return answer;
  };
  const tools = createBashTools({ workspace, approval: { rules }, consent });
  const run = (script: string): Promise<BashResult> => {
    writeFileSync(join(folder, 'do.sh'), script);
    return tools.bash.execute({ command: script.startsWith('git ') ? script : 'bash do.sh' });
  };
  return { folder, asked, run };
}

const places = ['.git/config', '.vscode/tasks.json', '.npmrc'];

describe.each([
  ['local', noJail],
  ['memory', false],
] as const)('a command that a rule allowed, in the backend %s', (backend, cannot) => {
  it.skipIf(cannot)('changes nothing that runs by itself', async () => {
    const { folder, run, asked } = await stage(backend);
    execFileSync('git', ['init', '-q', '--bare', 'repo.git'], { cwd: folder });
    const bare = readFileSync(join(folder, 'repo.git/config'), 'utf8');
    const before = places.map((path) => readFileSync(join(folder, path), 'utf8'));
    const attempts = [
      ...places.map((path) => `echo evil >> ${path}`),
      'echo evil > .git/hooks/pre-commit',
      'mv .git old; mkdir .git; echo evil > .git/config',
      'rm -rf .vscode',
      'mv .vscode other',
      'echo evil > sub/.husky/pre-commit',
      'ln -s .vscode link; echo evil > link/launch.json',
      'ln -s link chain; echo evil > chain/deep.json; mkdir chain/deep; cp a.txt chain/deep/a.txt',
      'ln -s ../.vscode sub/up; echo evil > sub/up/up.json; cp a.txt sub/up/copied.txt; ln a.txt sub/up/linked.txt',
      'echo evil > repo.git/config; echo evil > repo.git/hooks/update; mv repo.git/config repo.git/old; echo evil > repo.git/config',
    ];
    for (const attempt of attempts) await run(attempt);
    expect(places.map((path) => readFileSync(join(folder, path), 'utf8'))).toEqual(before);
    expect(existsSync(join(folder, '.git/hooks/pre-commit'))).toBe(false);
    expect(readdirSync(join(folder, 'sub/.husky'))).toEqual([]);
    expect(readdirSync(join(folder, '.vscode'))).toEqual(['tasks.json']);
    expect(readFileSync(join(folder, 'repo.git/config'), 'utf8')).toBe(bare);
    expect(existsSync(join(folder, 'repo.git/hooks/update'))).toBe(false);
    expect(asked).toEqual([]);
    // All else goes on, also in a folder that is called like a file of git.
    await run('mkdir -p src/head; echo fine > src/head/head.txt');
    expect(readFileSync(join(folder, 'src/head/head.txt'), 'utf8')).toBe('fine\n');
    expect(await run('echo two >> a.txt; cat a.txt')).toMatchObject({ stdout: 'one\ntwo', exitCode: 0 });
  });

  it.skipIf(cannot)('makes nothing that runs by itself', async () => {
    const { folder, run } = await stage(backend);
    await run('mkdir -p deep/.idea .devcontainer; echo evil > deep/.idea/workspace.xml; echo evil > .envrc');
    await run('mkdir -p new/.git; printf "[core]\\n\\tfsmonitor = evil\\n" > new/.git/config');
    for (const path of ['deep/.idea', '.devcontainer', '.envrc', 'new/.git']) {
      expect({ path, there: existsSync(join(folder, path)) }).toEqual({ path, there: false });
    }
  });

  it.skipIf(cannot).each([
    ['names that are too long to get longer', `touch .vscode$(printf 'a%.0s' $(seq 248))`],
    [
      'names that are not text',
      `touch $(printf '.vscode\\377'); mkdir -p $(printf 'd\\377'); touch $(printf 'd\\377/.envrc')`,
    ],
    ['more folders than are looked at before', 'for a in $(seq 72); do mkdir -p $(seq -f "d$a/%g" 72); done'],
    ['a folder in which nothing may be renamed', 'mkdir -p d; echo evil > d/.envrc; chmod 555 d'],
  ])('makes nothing that runs by itself, also beside %s', async (_what, script) => {
    const { folder, run } = await stage(backend);
    await run(`echo ok > z.txt; ${script}; echo evil > .envrc; mkdir -p z; echo evil > z/.envrc; true`);
    const left = execFileSync('find', [folder, '-name', '.envrc'], { encoding: 'utf8' });
    expect({ left, ran: existsSync(join(folder, 'z.txt')) }).toEqual({ left: '', ran: true });
  });

  it.skipIf(cannot)('may do all that a person allowed', async () => {
    const { folder, run, asked } = await stage(backend, 'allow-once');
    await run('true && echo >/dev/null'); // By the rule.
    expect(asked).toEqual([]);
    symlinkSync('sub', join(folder, '.idea'));
    // What is behind the link runs by itself as well, so a person is asked.
    await run('echo made >> .npmrc');
    expect(asked.map(({ preview }) => preview)).toEqual([
      expect.stringMatching(/You are asked because \.idea is a link/),
    ]);
    expect(readFileSync(join(folder, '.npmrc'), 'utf8')).toContain('made');
  });
});

describe.skipIf(noJail)('git that a rule allowed', () => {
  it('commits, and makes a repository that names no program', async () => {
    const { folder, run } = await stage('local');
    expect((await run('git add a.txt')).exitCode).toBe(0);
    expect((await run('git commit -q -m one')).exitCode).toBe(0);
    expect((await run('git init -q inner')).exitCode).toBe(0);
    expect(existsSync(join(folder, 'inner/.git/config'))).toBe(true);
    const { exitCode } = await run('git config core.fsmonitor evil');
    expect(exitCode).not.toBe(0);
  });

  it('has what it made of hooks put aside, and the model is told', async () => {
    const { folder, run } = await stage('local');
    execFileSync('rm', ['-r', join(folder, '.git/hooks')]);
    const { stderr } = await run('mkdir .git/hooks; echo evil > .git/hooks/pre-commit; echo evil > .envrc');
    expect(stderr).toMatch(/Put aside, because it runs by itself and no person was asked: \.envrc, \.git\/hooks\. /);
    expect(existsSync(join(folder, '.git/hooks'))).toBe(false);
    expect(readdirSync(folder).some((name) => /^taken-back-.*-envrc\.aside$/.test(name))).toBe(true);
  });
});

/** A submodule and a worktree of a repository have their configuration below its `.git`. */
describe.skipIf(noJail)('a command that a rule allowed, in a repository with others below its .git', () => {
  const git = (folder: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'protocol.file.allow=always', '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const withCommit = (folder: string): string => {
    writeFileSync(join(folder, 'x.txt'), 'x');
    if (!existsSync(join(folder, '.git'))) git(folder, 'init', '-q');
    git(folder, 'add', 'x.txt');
    git(folder, 'commit', '-q', '-m', 'one');
    return folder;
  };
  const evil = (marker: string): string => `printf '[core]\\n\\tfsmonitor = touch ${marker} #\\n'`;

  it.each([
    ['the configuration', (marker: string) => `${evil(marker)} >> .git/modules/libs/sub/config`],
    [
      'the folder of its repository',
      (marker: string) =>
        `mv .git/modules/libs/sub old; cp -r old .git/modules/libs/sub; ${evil(marker)} >> .git/modules/libs/sub/config`,
    ],
    [
      'the folder of that folder',
      (marker: string) =>
        `mv .git/modules/libs old; cp -r old .git/modules/libs; ${evil(marker)} >> .git/modules/libs/sub/config`,
    ],
  ])('changes nothing that git would run in a submodule, by %s', async (_what, attack) => {
    const { folder, run, asked } = await stage('local');
    withCommit(folder);
    git(folder, 'submodule', '-q', 'add', withCommit(scratchFolder()), 'libs/sub');
    const marker = join(scratchFolder(), 'ran');
    expect(await run('echo all else goes on; echo two >> libs/sub/x.txt')).toMatchObject({ exitCode: 0 });
    await run(attack(marker));
    // Where the command removed what is in the repository, git cannot read it.
    spawnSync('git', ['status'], { cwd: folder });
    expect({ ran: existsSync(marker), asked }).toEqual({ ran: false, asked: [] });
  });

  it('leads no worktree to another configuration', async () => {
    const { folder, run } = await stage('local');
    withCommit(folder);
    const worktree = join(scratchFolder(), 'tree');
    git(folder, 'worktree', 'add', '-q', worktree);
    const marker = join(scratchFolder(), 'ran');
    await run(`cp -r .git new; ${evil(marker)} >> new/config; echo ../../../new > .git/worktrees/tree/commondir`);
    expect(git(worktree, 'status', '--porcelain')).toBe('');
    expect(existsSync(marker)).toBe(false);
  });

  it('makes no repository where git will look for a submodule', async () => {
    const { folder, run } = await stage('local');
    withCommit(folder);
    const { stderr } = await run(
      `mkdir -p .git/modules/sub; cp .git/HEAD .git/modules/sub; ${evil('x')} > .git/modules/sub/config`,
    );
    expect(stderr).toContain('Put aside');
    expect(existsSync(join(folder, '.git/modules/sub/config'))).toBe(false);
    await run('mkdir evil; cp .git/HEAD evil; ln -s ../../evil .git/modules/other');
    expect(existsSync(join(folder, '.git/modules/other'))).toBe(false);
  });

  it('is asked about where the hooks are a link', async () => {
    const { folder, run, asked } = await stage('local');
    execFileSync('rm', ['-r', join(folder, '.git/hooks')]);
    mkdirSync(join(folder, 'shared'));
    symlinkSync('../shared', join(folder, '.git/hooks'));
    expect(await run('rm .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/pre-commit')).toMatchObject({
      exitCode: 126,
    });
    expect(asked[0]?.preview).toContain('.git/hooks is a link');
  });
});
