// Apps in real repositories, and git itself as the judge of them.
import { execFileSync, execSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

const folders: string[] = [];

/** No settings of whoever runs the tests. */
export const gitEnv = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Person',
  GIT_AUTHOR_EMAIL: 'person@example.org',
  GIT_COMMITTER_NAME: 'Person',
  GIT_COMMITTER_EMAIL: 'person@example.org',
};

/** For the tests of a file: what runs in this process sees no settings of whoever runs the tests either. */
export function hideOwnGit(): void {
  const before = { ...process.env };
  beforeAll(() => Object.assign(process.env, { HOME: gitEnv.HOME, GIT_CONFIG_GLOBAL: '/nonexistent' }));
  afterAll(() => {
    for (const name of ['HOME', 'GIT_CONFIG_GLOBAL']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
}

export function git(app: string, ...args: string[]): string {
  return execFileSync('git', ['-C', app, '-c', 'protocol.file.allow=always', ...args], {
    env: gitEnv,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export function newFolder(files: Record<string, string | Buffer> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-changes-')));
  folders.push(folder);
  put(folder, files);
  return folder;
}

/** A repository with one commit of these files. */
export function newApp(files: Record<string, string | Buffer> = { 'a.txt': 'one\ntwo\nthree\n' }): string {
  const app = newFolder(files);
  // By one process of this one, which may be large: the kernel copies the tables of its pages for each that it starts.
  const script = 'git init -q -b main && git add -A && git -c maintenance.auto=false commit -qm first';
  execSync(script, { cwd: app, env: gitEnv, stdio: 'pipe' });
  return app;
}

export function put(folder: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** The files of an app by their paths, without those of git. */
export function filesOf(app: string): Record<string, string> {
  const entries = readdirSync(app, { recursive: true, withFileTypes: true });
  const files = entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name).slice(app.length + 1);
    return entry.isFile() && !path.startsWith('.git/')
      ? [[path, readFileSync(join(app, path), 'latin1')] as const]
      : [];
  });
  return Object.fromEntries(files.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What git says of a repository: uncommitted changes, and what is broken. Both are '' for a good one. */
export function state(app: string): { status: string; broken: string } {
  const broken = git(app, 'fsck', '--full', '--strict', '--no-dangling', '--no-progress');
  return { status: git(app, 'status', '--porcelain'), broken: broken.replace(/^notice: .*\n/gm, '') };
}

export const good = { status: '', broken: '' };

export function subjects(app: string): string[] {
  return git(app, 'log', '--format=%s').trim().split('\n');
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
