// readFile and writeFile: the same guard and the same consent as commands have.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBashTools, type ApprovalOptions, type BashTools, type Workspace } from '@mustard-sandbox/bash-tools';
import type { ConsentAnswer, ConsentRequest } from '@mustard-sandbox/agent-tool';
import { describe, expect, it } from 'vitest';
import { noJail, openWorkspaces, scratchFolder } from './support.ts';

interface Stage {
  tools: BashTools;
  workspace: Workspace;
  folder: string;
  asked: ConsentRequest[];
  write: (path: string, content?: string) => Promise<string>;
  read: (path: string) => Promise<string>;
}

interface StageOptions {
  approval?: ApprovalOptions;
  answer?: ConsentAnswer | 'nobody';
  isUsers?: boolean;
  backend?: 'memory' | 'local';
}

const reasonOf = (error: unknown): string => (error as Error).message;

async function stage({
  approval = {},
  answer = 'deny',
  isUsers = true,
  backend = 'memory',
}: StageOptions = {}): Promise<Stage> {
  const all = await openWorkspaces({ backend });
  const workspace = await all.open(isUsers ? { folder: scratchFolder() } : {});
  const folder = workspace.hostFolder as string;
  mkdirSync(join(folder, '.git/hooks'), { recursive: true });
  writeFileSync(join(folder, '.git/config'), '[core]\n\tbare = false\n');
  writeFileSync(join(folder, '.env'), 'TOKEN=1');
  writeFileSync(join(folder, 'a.txt'), 'one');
  const asked: ConsentRequest[] = [];
  const consent = async (request: ConsentRequest): Promise<ConsentAnswer> => {
    asked.push(request);
    return answer as ConsentAnswer;
  };
  const tools = createBashTools({ workspace, approval, ...(answer !== 'nobody' && { consent }) });
  return {
    ...{ tools, workspace, folder, asked },
    write: (path, content = 'x') => tools.writeFile.execute({ path, content }).then(() => 'written', reasonOf),
    read: (path) => tools.readFile.execute({ path }).then(({ content }) => content, reasonOf),
  };
}

describe('in a folder of the user', () => {
  it.each(['always', 'never', 'ask'] as const)(
    'secrets are neither read nor written, with consent %s',
    async (mode) => {
      const otherwise = ({ always: 'allow', never: 'deny', ask: 'ask' } as const)[mode];
      const { read, write, folder } = await stage({ approval: { otherwise }, answer: 'allow-once' });
      mkdirSync(join(folder, 'sub'));
      symlinkSync('../.env', join(folder, 'sub/link'));
      for (const path of ['.env', './.env', '.git/config', '.ENV', 'sub/link', '/workspace/.env']) {
        expect(await read(path)).toMatch(/refused|Not allowed/);
      }
      for (const path of ['.env', '.git/config', '.git/hooks/pre-commit', '.npmrc', 'sub/.git/config']) {
        expect(await write(path, 'evil')).toMatch(/refused|Not allowed/);
      }
      expect(readFileSync(join(folder, '.git/config'), 'utf8')).not.toContain('evil');
      expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('TOKEN=1');
    },
  );

  it('nothing is read or written where the settings never allow it, or nobody can be asked', async () => {
    for (const options of [{ approval: { otherwise: 'deny' } }, { answer: 'nobody' }] as const) {
      const { read, write, folder } = await stage(options);
      expect(await read('a.txt')).toContain('Not allowed');
      expect(await write('a.txt')).toContain('Not allowed');
      expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one');
    }
  });

  it('a person is asked, and sees the path and all that would be written', async () => {
    const { read, write, asked, tools } = await stage({ answer: 'allow-once' });
    expect(await read('a.txt')).toBe('one');
    expect(await write('src/b.ts', 'let b\u202e = 1;\n')).toBe('written');
    expect(asked.map(({ preview }) => preview)).toEqual(['Read a.txt', 'Write src/b.ts\n\nlet b\\u{202e} = 1;\n']);
    expect(asked.map(({ file }) => file?.action)).toEqual(['read', 'write']);
    expect(await tools.readFile.getConsentRequest({ path: 'a.txt' })).toMatchObject({ preview: 'Read a.txt' });
    expect(await tools.readFile.getConsentRequest({ path: 1 })).toBeUndefined();
  });

  it('what is allowed always covers reads or writes, but never what runs by itself', async () => {
    const { read, write, asked } = await stage({ answer: 'allow-always' });
    for (const path of ['a.txt', 'a.txt']) await read(path);
    for (const path of ['b.txt', 'c.txt']) await write(path);
    expect(asked).toHaveLength(2);
    for (const path of ['.vscode/tasks.json', '.husky/pre-commit', 'AGENTS.md', '.vscode/tasks.json']) {
      expect(await write(path)).toBe('written');
    }
    // This very content again is not asked about.
    expect(asked.slice(2).map(({ file }) => file?.path)).toEqual([
      '.vscode/tasks.json',
      '.husky/pre-commit',
      'AGENTS.md',
    ]);
    await write('AGENTS.md', 'other');
    expect(asked).toHaveLength(6);
  });

  it('what runs by itself is asked about, with the reason, even where all is allowed', async () => {
    const { write, read, asked, folder } = await stage({ approval: { otherwise: 'allow' } });
    mkdirSync(join(folder, '.husky'));
    symlinkSync('.husky', join(folder, 'plain'));
    for (const path of ['.vscode/tasks.json', '.husky/pre-commit', 'plain/pre-commit', '.idea/x.xml', '.bashrc']) {
      expect(await write(path)).toMatch(/Not allowed: the user declined this writeFile.*asked because/);
      expect(existsSync(join(folder, path))).toBe(false);
    }
    expect(asked[2]?.preview).toBe(
      'Write .husky/pre-commit\n\nYou are asked because a hook runs by itself when git commits, checks out or pushes.\n\nx',
    );
    expect(asked).toHaveLength(5);
    const manifest = JSON.stringify({ name: 'a', scripts: { test: 'vitest' } });
    writeFileSync(join(folder, 'package.json'), manifest);
    expect(await write('package.json', manifest.replace('"a"', '"b"'))).toBe('written');
    expect(await write('package.json', manifest.replace('vitest', 'evil'))).toContain('scripts.test');
    expect(await write('src/ordinary.ts')).toBe('written');
    expect(await read('a.txt')).toBe('one');
  });

  it('is written to where the question said, also when a link is put there meanwhile', async () => {
    const all = await openWorkspaces({ backend: 'memory' });
    const folder = scratchFolder();
    mkdirSync(join(folder, '.husky'));
    const consent = async (): Promise<ConsentAnswer> => {
      symlinkSync('.husky', join(folder, 'new'));
      return 'allow-once';
    };
    const tools = createBashTools({ workspace: await all.open({ folder }), consent });
    await expect(tools.writeFile.execute({ path: 'new/pre-commit', content: 'x' })).rejects.toMatchObject({
      code: 'capability_denied',
    });
    expect(existsSync(join(folder, '.husky/pre-commit'))).toBe(false);
  });
});

describe('in a copy', () => {
  it('files are read and written without a question, but for what would change what an allowed command means', async () => {
    const rules = [{ prefix: 'git status', action: 'allow' as const }];
    const { read, write, asked } = await stage({ isUsers: false, approval: { rules } });
    expect(await write('a.txt', 'two')).toBe('written');
    expect(await read('a.txt')).toBe('two');
    expect(asked).toEqual([]);
    expect(await write('.git/config')).toContain('git takes from it which programs to run');
    expect(asked).toHaveLength(1);
    const free = await stage({ isUsers: false, approval: { otherwise: 'allow' } });
    expect(await free.write('.git/config')).toBe('written');
    expect(free.asked).toEqual([]);
  });
});

describe('a rule for the words of a command', () => {
  const approval: ApprovalOptions = { rules: [{ prefix: 'git status', action: 'allow' }] };
  const status = 'git status --short';

  it.each([
    ['.git/config', '[core]\n\tfsmonitor = touch made #', 'core.fsmonitor'],
    ['.git/config', '[core] fsmonitor = x', '[core] fsmonitor = x'],
    ['.git/config', '[CORE]\nFsMonitor=x', 'core.fsmonitor'],
    ['.git/config', '[filter "x"]\n\tclean = x', 'filter.clean'],
    ['.git/config', '[core]\n\tfilemode = a\\\n[core]\n\thooksPath = x', 'filemode'],
    ['.git/config', '[include]\n\tpath = ../x', 'include.path'],
    ['.git/config', '[alias]\n\tst = !x', 'alias.st'],
    ['.git/hooks/post-index-change', '#!/bin/sh', 'post-index-change'],
    ['.git/commondir', 'x', '.git/commondir'],
    ['.gitmodules', '[submodule "x"]', '.gitmodules'],
  ])('does not count where %s says %j', async (path, content, named) => {
    const { tools, folder, asked } = await stage({ approval });
    expect(await tools.bash.getConsentRequest({ command: status })).toBeUndefined();
    writeFileSync(join(folder, path), content);
    expect(await tools.bash.getConsentRequest({ command: status })).toMatchObject({
      preview: expect.stringContaining(named) as string,
    });
    expect(await tools.bash.execute({ command: status })).toMatchObject({ exitCode: 126 });
    expect(asked[0]?.preview).toContain(`$ ${status}\n\nYou are asked because`);
  });

  it('counts with what git and people write into a configuration, and does not with one of the home', async () => {
    const { tools, folder, workspace } = await stage({ approval });
    writeFileSync(
      join(folder, '.git/config'),
      '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n; note\n[remote "origin"]\n\turl = https://x/y\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n[user]\n\tname = "A B"\n',
    );
    writeFileSync(join(folder, '.git/hooks/pre-commit.sample'), '');
    expect(await tools.bash.getConsentRequest({ command: status })).toBeUndefined();
    writeFileSync(join(workspace.hostHome as string, '.gitconfig'), '[core]\n\tfsmonitor = x\n');
    expect(await tools.bash.getConsentRequest({ command: status })).toBeDefined();
    const denying = createBashTools({ workspace, approval: { ...approval, otherwise: 'deny' } });
    expect((await denying.bash.execute({ command: status })).stderr).toContain('core.fsmonitor');
  });

  it('a repository that is not in a folder .git does not count', async () => {
    const all = await openWorkspaces({ backend: 'memory' });
    const folder = scratchFolder();
    const tools = createBashTools({ workspace: await all.open({ folder }), approval });
    const isAsked = async (): Promise<boolean> =>
      (await tools.bash.getConsentRequest({ command: status })) !== undefined;
    expect(await isAsked()).toBe(false);
    writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main');
    expect(await isAsked()).toBe(true);
  });

  it.skipIf(noJail !== undefined)('so a written fsmonitor runs nothing, by the word of git', async () => {
    const { tools, folder, write, asked } = await stage({ approval, backend: 'local' });
    execFileSync('git', ['init', '-q', folder]);
    expect(await tools.bash.execute({ command: status })).toMatchObject({ exitCode: 0 });
    expect(await write('.git/config', '[core]\n\tfsmonitor = touch made\n')).toContain('refused');
    // Made by something else, such as an archive that was unpacked.
    execFileSync('git', ['-C', folder, 'config', 'core.fsmonitor', 'touch made #']);
    expect(await tools.bash.execute({ command: status })).toMatchObject({ exitCode: 126 });
    expect(asked.at(-1)?.command).toBe(status);
    expect(existsSync(join(folder, 'made'))).toBe(false);
  });
});
