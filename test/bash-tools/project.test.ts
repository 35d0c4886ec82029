// What commands have of a project that is never copied: packages, a virtual environment, the history.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createBashTools, type Workspace, type Workspaces } from '@mustard-sandbox/bash-tools';
import { beforeAll, describe, expect, it } from 'vitest';
import { noJail, openWorkspaces, scratchFolder } from './support.ts';

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { encoding: 'utf8' });

/** Every file below a folder with its content, every link with its target, and every mode. */
const stateOf = (folder: string): string =>
  execFileSync('sh', ['-c', 'find . -printf "%p %M %l\\n" | sort; find . -type f | sort | xargs cat'], {
    cwd: folder,
    encoding: 'utf8',
  });

function write(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  }
}

const packages = {
  'node_modules/one/package.json': '{ "name": "one", "version": "1.0.0", "main": "index.cjs" }',
  'node_modules/one/index.cjs': 'module.exports = "one and " + require("two") + " and " + require("@scope/three");',
  'node_modules/one/cli.cjs': '#!/usr/bin/env node\nconsole.log("cli of " + require("./index.cjs"));\n',
  'node_modules/two/index.js': 'module.exports = "two";',
  'node_modules/@scope/three/index.js': 'module.exports = "three";',
  'node_modules/.cache/token.json': 'a token',
  'packages/own/index.js': 'module.exports = "own";',
};

/** A folder with packages as npm installs them, one of which is the project's own. */
function makeProject(files: Record<string, string> = {}): string {
  const project = scratchFolder();
  write(project, { 'package.json': '{}', '.gitignore': 'node_modules/\n', ...packages, ...files });
  mkdirSync(join(project, 'node_modules/.bin'));
  symlinkSync('../one/cli.cjs', join(project, 'node_modules/.bin/one'));
  symlinkSync('../packages/own', join(project, 'node_modules/own'));
  return project;
}

describe.skipIf(noJail !== undefined)('a project in its workspace', () => {
  let all: Workspaces;
  beforeAll(async () => {
    all = await openWorkspaces();
  });

  async function open(project: string): Promise<Workspace> {
    return await all.open({ seed: { upload: { path: project } } });
  }

  async function said(workspace: Workspace, command: string): Promise<string> {
    const { stdout, stderr } = await workspace.run(command);
    return (stdout + stderr).trim();
  }

  it('has its packages, with their programs, and those of the project itself are the copies', async () => {
    const project = makeProject();
    const workspace = await open(project);
    expect(await workspace.useProject(project)).toEqual({ packages: true, venv: false, git: false });
    expect(await said(workspace, 'node -p "require(\'one\')"')).toBe('one and two and three');
    expect(await said(workspace, 'npx one')).toBe('cli of one and two and three');
    await workspace.writeFile('packages/own/index.js', 'module.exports = "changed";');
    expect(await said(workspace, 'node -p "require(\'own\')"')).toBe('changed');
    expect(await said(workspace, 'ls node_modules/.cache')).toContain('No such file');
    // The jail of the next command was made before this.
    write(project, { 'node_modules/later/index.js': 'module.exports = "later";' });
    await workspace.useProject(project);
    expect(await said(workspace, 'node -p "require(\'later\')"')).toBe('later');
    rmSync(join(project, 'node_modules/later'), { recursive: true });
    await workspace.useProject(project);
    expect(await said(workspace, 'ls node_modules')).not.toContain('later');
  });

  it('a command writes caches and replaces packages, and changes nothing in the project', async () => {
    const project = makeProject();
    const before = stateOf(project);
    const workspace = await open(project);
    await workspace.useProject(project);
    const attacks = [
      'mkdir -p node_modules/.cache node_modules/.vite-temp && echo x > node_modules/.cache/x && echo cached',
      'echo bad > node_modules/one/index.cjs',
      'rm -rf node_modules/two/*',
      'chmod -R 777 node_modules/one/',
      'ln node_modules/one/index.cjs linked.cjs && echo bad > linked.cjs',
      'mv .mustard/app moved',
      'rm -rf node_modules && mkdir -p node_modules/one && echo "module.exports = 1" > node_modules/one/index.js && node -p "require(\'one\')"',
    ];
    const answers = await Promise.all(attacks.map((attack) => said(workspace, attack)));
    expect(answers[0]).toBe('cached');
    expect(answers.slice(1, 4).join()).toMatch(/Read-only.*Read-only.*Read-only/s);
    expect(stateOf(project)).toBe(before);
  });

  it('packages that npm installed in the workspace stay', async () => {
    const project = makeProject();
    const workspace = await open(project);
    await workspace.useProject(project);
    await workspace.run('rm -rf node_modules; mkdir -p node_modules/mine; echo {} > node_modules/.package-lock.json');
    expect((await workspace.useProject(project)).packages).toBe(false);
    expect(await said(workspace, 'ls node_modules')).toBe('mine');
  });

  it.each([
    ['a file in place of node_modules', 'rm -rf node_modules; echo x > node_modules'],
    ['a link in place of node_modules', 'rm -rf node_modules; ln -s /home/agent node_modules'],
    ['a link in place of the mount', 'ln -s /etc .mustard'],
    ['a file in place of the mount', 'mkdir -p .mustard; echo x > .mustard/app'],
  ])('commands go on after a command left %s', async (_, command) => {
    const project = makeProject();
    const workspace = await open(project);
    await workspace.run(command);
    expect((await workspace.useProject(project)).packages).toBe(false);
    expect(await said(workspace, 'echo here')).toBe('here');
    expect(await said(workspace, 'ls /home/agent | wc -l')).toBe('0');
  });

  it('a node_modules of the project that is a link, or a file, shows nothing', async () => {
    const outside = scratchFolder();
    write(outside, { 'secret/index.js': 'secret' });
    const project = scratchFolder();
    write(project, { 'package.json': '{}' });
    for (const make of [
      () => symlinkSync(outside, join(project, 'node_modules')),
      () => write(project, { node_modules: 'x' }),
    ]) {
      make();
      const workspace = await open(project);
      expect((await workspace.useProject(project)).packages).toBe(false);
      expect(await said(workspace, 'find . -name secret; cat node_modules')).toBe(
        'cat: node_modules: No such file or directory',
      );
      unlinkSync(join(project, 'node_modules'));
    }
  });

  it('has a virtual environment, whose programs name it by its path on this machine', async () => {
    const project = makeProject();
    write(project, { '.venv/bin/tool': `#!${join(project, '.venv/bin/sh')}\necho tool of $0\n` });
    symlinkSync('/bin/sh', join(project, '.venv/bin/sh'));
    write(project, { '.gitignore': 'node_modules/\n.venv/\n' });
    git(project, 'init', '-q');
    git(project, 'add', '.');
    git(project, 'commit', '-qm', 'first');
    const workspace = await open(project);
    expect(await workspace.useProject(project)).toEqual({ packages: true, venv: true, git: true });
    expect(await said(workspace, '.venv/bin/tool')).toBe('tool of .venv/bin/tool');
    expect(await said(workspace, 'echo x > .venv/bin/new; git status --short')).toBe(
      'bash: line 1: .venv/bin/new: Read-only file system',
    );
  });
});

describe.skipIf(noJail !== undefined)('the history of a project', () => {
  let project: string;
  let workspace: Workspace;
  beforeAll(async () => {
    project = makeProject({ 'a.txt': 'one\n', '.env': 'SECRET=1\n' });
    git(project, 'init', '-q', '-b', 'main');
    git(project, 'add', '.');
    git(project, 'commit', '-qm', 'The first');
    git(project, 'remote', 'add', 'origin', 'https://user:passw0rd@example.com/x.git');
    git(project, 'config', 'core.fsmonitor', 'touch /workspace/ran; false');
    git(project, 'config', 'alias.st', '!touch /workspace/ran');
    write(project, { '.git/hooks/post-index-change': '#!/bin/sh\ntouch /workspace/ran\n' });
    const all = await openWorkspaces();
    workspace = await all.open({ seed: { upload: { path: project } } });
  });

  const said = async (command: string): Promise<string> => {
    const { stdout, stderr } = await workspace.run(command);
    return (stdout + stderr).trim();
  };

  it('is there for git, and what was left out of the copy is not told as deleted', async () => {
    expect((await workspace.useProject(project)).git).toBe(true);
    expect(await said('git log --oneline --format=%s; git status --short; git diff')).toBe('The first');
    await workspace.run('echo two > a.txt; echo new > b.txt');
    expect(await said('git status --short')).toBe('M a.txt\n?? b.txt');
    expect(await said('git diff -U0 | tail -2')).toBe('-one\n+two');
    expect(await said('git stash -q; cat a.txt; git stash pop -q; cat a.txt')).toBe('one\ntwo');
  });

  it('has no setting, password or hook of the project, and runs none', async () => {
    expect(
      await said('git config --local --list | cut -d= -f1; git remote; ls .git/hooks /app/.git; ls ran'),
    ).not.toMatch(/passw0rd|origin|alias|fsmonitor|post-index|config/);
    expect(await said('grep -rs passw0rd /app .git | wc -l')).toBe('0');
  });

  it('a setting that a command left in its home runs nothing while the history is prepared', async () => {
    const setting = `git config --global core.fsmonitor 'cp /app/.git/config /workspace/stolen; false'`;
    await workspace.run(`${setting}; git config --global core.hooksPath /workspace/hooks`);
    write(project, { 'a.txt': 'three\n' });
    git(project, '-c', 'core.fsmonitor=false', 'commit', '-qam', 'The second');
    expect((await workspace.useProject(project)).git).toBe(true);
    expect(await said('cat stolen ran')).not.toContain('url');
    await workspace.run('rm /home/agent/.gitconfig');
  });

  it('commits of commands are for the workspace alone, and end with the next commit of the project', async () => {
    const head = git(project, 'rev-parse', 'HEAD');
    expect(await said('git commit -qam Mine; git log -1 --format=%s')).toBe('Mine');
    await workspace.useProject(project);
    expect(await said('git log -1 --format=%s')).toBe('Mine');
    expect(git(project, 'rev-parse', 'HEAD')).toBe(head);
    git(project, '-c', 'core.fsmonitor=false', 'commit', '-q', '--allow-empty', '-m', 'The third');
    await workspace.useProject(project);
    expect(await said('git log --format=%s; git status --short')).toBe(
      'The third\nThe second\nThe first\n M a.txt\n?? b.txt',
    );
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('three\n');
  });

  it('a rule that allows git still asks nobody', async () => {
    const tools = createBashTools({ workspace, approval: { rules: [{ prefix: 'git log', action: 'allow' }] } });
    expect((await tools.bash.execute({ command: 'git log --oneline' })).exitCode).toBe(0);
  });

  it('a repository that a command made is left as it is, and so is a .git that is a link', async () => {
    await workspace.run('rm -rf .git; git init -q; git commit -q --allow-empty -m Own');
    expect((await workspace.useProject(project)).git).toBe(false);
    expect(await said('git log --format=%s')).toBe('Own');
    await workspace.run('rm -rf .git; ln -s /tmp .git');
    expect((await workspace.useProject(project)).git).toBe(false);
    const outside = scratchFolder();
    git(outside, 'init', '-q');
    const linked = scratchFolder();
    symlinkSync(join(outside, '.git'), join(linked, '.git'));
    await workspace.run('rm .git');
    expect((await workspace.useProject(linked)).git).toBe(false);
  });
});
