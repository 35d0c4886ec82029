// Pull requests by a program named gh, which writes down what it was given. GitHub itself is not asked.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPullRequest, draftPullRequest, readGit } from '../../../packages/desktop-agent/src/server/git/index.ts';
import { slugOf } from '../../../packages/desktop-agent/src/server/git/remote/pull-request.ts';
import { quoted } from '../../../packages/desktop-agent/src/shared/pull-request.ts';
import { execFileSync } from 'node:child_process';
import { git, hideOwnGit, newFolder, removeFolders } from '../changes/apps.ts';
import { program } from './servers.ts';
import { agreedOf, commit, head, options, team } from './team.ts';

hideOwnGit();
afterAll(removeFolders);

/** An app whose branch is at a remote on GitHub, as far as its repository knows. */
function onGithub() {
  const { app } = team();
  git(app, 'remote', 'set-url', 'origin', 'git@github.com:mira/shop.git');
  git(app, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
  git(app, 'switch', '-qc', 'feature');
  commit(app, { 'c.txt': 'c\n' }, 'Count each item once');
  commit(app, { 'd.txt': 'd\n' }, 'Test that');
  git(app, 'update-ref', 'refs/remotes/origin/feature', 'HEAD');
  return app;
}

/** @returns where it writes what it got */
function fakeGh(then: string): string {
  const folder = newFolder();
  const notes = `pwd > ${folder}/cwd; printf '%s\\0' "$@" > ${folder}/arguments; cat > ${folder}/input; env > ${folder}/env`;
  program(join(folder, 'gh'), `${notes}; ${then}`);
  const before = {
    PATH: process.env['PATH'],
    GH_TOKEN: process.env['GH_TOKEN'],
    OPENAI_API_KEY: process.env['OPENAI_API_KEY'],
  };
  onTestFinished(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  Object.assign(process.env, {
    PATH: `${folder}:${before.PATH}`,
    GH_TOKEN: 't0ken',
    OPENAI_API_KEY: 'none-of-its-business',
  });
  return folder;
}

const wanted = { base: 'main', title: '--web; $(touch x) `y` “z”', body: 'One\n\n--two\n', draft: true };
const repository = 'github.com/mira/shop';

describe('a pull request', () => {
  it('begins with the title of the chat and the subjects of the commits', async () => {
    const app = onGithub();
    const agreed = await agreedOf(app);
    expect(await draftPullRequest(app, { ...agreed, chatTitle: 'Errors of Monday' }, options())).toEqual({
      title: 'Errors of Monday',
      body: '- Count each item once\n- Test that',
      bases: ['main'],
      base: 'main',
      repository,
    });
    git(app, 'update-ref', '-d', 'refs/remotes/origin/main');
    const alone = draftPullRequest(app, { ...agreed, chatTitle: undefined }, options());
    await expect(alone).rejects.toMatchObject({ code: 'denied', message: expect.stringMatching(/Make a branch/) });
    git(app, 'update-ref', 'refs/remotes/origin/main', 'main');
    const { title } = await draftPullRequest(app, { ...agreed, chatTitle: undefined }, options());
    expect(title).toBe('Test that');
  });

  it('is made by just what was shown, with the text as input, and without the repository around', async () => {
    const app = onGithub();
    const gh = fakeGh('echo Creating >&2; echo https://github.com/mira/shop/pull/7');
    expect((await readGit(app, options())).gh).toBe(true);
    const agreed = await agreedOf(app);
    const made = await createPullRequest(app, { ...agreed, ...wanted, repository }, options());
    expect(made).toEqual({ url: 'https://github.com/mira/shop/pull/7' });
    const args = readFileSync(join(gh, 'arguments'), 'utf8').split('\0').slice(0, -1);
    expect(args).toEqual([
      'pr',
      'create',
      `--repo=${repository}`,
      '--head=feature',
      '--base=main',
      `--title=${wanted.title}`,
      '--body-file=-',
      '--draft',
    ]);
    expect(readFileSync(join(gh, 'input'), 'utf8')).toBe(wanted.body);
    expect(readFileSync(join(gh, 'cwd'), 'utf8')).not.toContain(app);
    const env = readFileSync(join(gh, 'env'), 'utf8');
    expect(env).toMatch(/^GH_TOKEN=t0ken$/m);
    expect(env).toMatch(/^GH_PROMPT_DISABLED=1$/m);
    expect(env).not.toContain('OPENAI_API_KEY');
    // What is shown means the same to a shell.
    const said = execFileSync('sh', ['-c', `printf '%s\\0' ${quoted(args)}`], { encoding: 'utf8' });
    expect(said.split('\0').slice(0, -1)).toEqual(args);
  });

  it.each([
    ['To get started with GitHub CLI, please run:  gh auth login', /Run `gh auth login`/],
    ['a pull request for branch "feature" into branch "main" already exists:\nhttps://github.com/x', /already exists/],
    ['\u001B[31mGraphQL: nope\u001B[0m', /It said: GraphQL: nope$/],
  ])('that gh refuses with %j says so', async (said, told) => {
    const app = onGithub();
    fakeGh(`printf '%s' '${said}' >&2; exit 1`);
    const made = createPullRequest(app, { ...(await agreedOf(app)), ...wanted, repository }, options());
    await expect(made).rejects.toMatchObject({ code: 'denied', message: expect.stringMatching(told) });
  });

  it('is not made of commits that are not pushed, of another remote, or of a branch that is an option', async () => {
    const app = onGithub();
    const gh = fakeGh('echo https://github.com/mira/shop/pull/7');
    const agreed = await agreedOf(app);
    const make = (more: object) => createPullRequest(app, { ...agreed, ...wanted, repository, ...more }, options());
    await expect(make({ base: '--web' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(make({ base: 'feature' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(make({ branch: '--web' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(make({ repository: 'github.com/mira/other' })).rejects.toMatchObject({ code: 'changed' });
    commit(app, { 'e.txt': 'e\n' }, 'not pushed');
    await expect(make({})).rejects.toMatchObject({
      code: 'changed',
      message: expect.stringMatching(/Push them first/),
    });
    git(app, 'remote', 'set-url', 'origin', 'git@github.com:evil/shop.git');
    await expect(make({})).rejects.toMatchObject({ code: 'changed' });
    expect(existsSync(join(gh, 'arguments'))).toBe(false);
  });

  it('that takes forever is ended, with all that gh has started', async () => {
    const app = onGithub();
    fakeGh('sleep 1000');
    const limits = { timeoutMs: 60_000, silenceMs: 500 };
    const made = createPullRequest(app, { ...(await agreedOf(app)), ...wanted, repository }, options({ limits }));
    await expect(made).rejects.toMatchObject({ code: 'limit_exceeded' });
    expect(head(app)).toBe(head(app, 'feature'));
  });
});

describe('the repository of an address', () => {
  it.each([
    ['https://github.com/mira/shop.git', 'github.com/mira/shop'],
    ['https://github.com/mira/shop/', 'github.com/mira/shop'],
    ['git@github.com:mira/shop.git', 'github.com/mira/shop'],
    ['ssh://git@code.example.org/mira/my.shop', 'code.example.org/mira/my.shop'],
    ['https://gitlab.com/group/sub/shop.git', null],
    ['https://github.com/mira', null],
    ['https://github.com/../shop', null],
    ['work:mira/shop.git', null],
    ['/srv/mira/shop.git', null],
    ['https://github.com/-x/shop', null],
  ])('%j is %j', (address, slug) => {
    expect(slugOf(address)).toBe(slug);
  });
});
