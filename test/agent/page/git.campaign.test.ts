import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { expectGone, expectShown, inMain, useFakePage, violations } from './support.ts';

describe.skipIf(!hasChromium)('branches, push and pull', () => {
  const pages = useFakePage();
  const asked = async (page: Page, name: string): Promise<unknown[]> =>
    inMain(page, (fake, name) => fake.asked.filter((call) => call.name === name).map(({ params }) => params), name);
  const opened = async (options: Parameters<typeof pages.open>[0] = {}): Promise<Page> => {
    const page = await pages.open(options);
    await page.getByRole('button', { name: 'Show the panel' }).click();
    await page.getByRole('tab', { name: 'Versions' }).click();
    return page;
  };
  const sync = async (page: Page): Promise<void> => page.getByRole('button', { name: 'Push or pull…' }).click();
  /** Commits that the server has, and those that are here only. */
  const compares = async (page: Page, incoming: number, outgoing: number, more = {}): Promise<void> => {
    await inMain(
      page,
      (fake, { incoming, outgoing, more }) => {
        const commits = (count: number, digit: string) => ({
          count,
          shown: Array.from({ length: Math.min(count, 50) }, (_, index) => ({
            commit: digit.repeat(40),
            subject: `commit ${index} <img src=x onerror=alert(1)> \u202Egnp.exe`,
            author: 'Mira',
          })),
        });
        fake.answers['compare-with-remote'] = () => ({
          ours: '1'.repeat(40),
          theirs: '2'.repeat(40),
          incoming: commits(incoming, 'b'),
          outgoing: commits(outgoing, 'c'),
          rewritten: 0,
          ...more,
        });
      },
      { incoming, outgoing, more },
    );
  };

  test('a push shows where it goes and its commits, and sends just those when it is pressed', async () => {
    const page = await opened();
    await expectShown(page.getByText('origin/main at https://git.example.org/mira/shop.git'));
    expect(await asked(page, 'compare-with-remote')).toEqual([]);
    await sync(page);
    const dialog = page.getByRole('dialog', { name: 'main here and origin/main' });
    await expectShown(dialog.getByText('https://git.example.org/mira/shop.git', { exact: true }));
    await expectShown(dialog.getByText('[agent] Count each item once'));
    expect(await asked(page, 'push-branch')).toEqual([]);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Close');
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Push 2 commits' }).click();
    await expectGone(dialog);
    await expectShown(page.getByText('Pushed 2 commits to origin/main'));
    const url = 'https://git.example.org/mira/shop.git';
    expect(await asked(page, 'push-branch')).toMatchObject([
      {
        appId: 'app-1',
        remote: 'origin',
        url,
        pushUrl: url,
        branch: 'main',
        ours: '1'.repeat(40),
        theirs: '2'.repeat(40),
      },
    ]);
  });

  test('where both have commits, a pull comes first, and can be taken back', async () => {
    const page = await opened();
    await compares(page, 60, 1);
    await inMain(page, (fake) => {
      const [commit, before] = ['3'.repeat(40), '1'.repeat(40)];
      fake.answers['pull-branch'] = () => ({ outcome: 'joined', commit, before, merged: true, files: 2 });
    });
    await sync(page);
    const dialog = page.getByRole('dialog');
    await expectShown(dialog.getByText('60 commits to pull'));
    await expectShown(dialog.getByText('and 10 commits more'));
    await dialog.getByRole('button', { name: /^Push 1 commit/ }).press('Enter');
    expect(await asked(page, 'push-branch')).toEqual([]);
    await compares(page, 0, 2);
    await dialog.getByRole('button', { name: 'Pull 60 commits' }).click();
    await expectShown(dialog.getByRole('button', { name: 'Push 2 commits' }));
    await page.keyboard.press('Escape');
    await expectGone(dialog);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(() => asked(page, 'undo-join')).toEqual([{ appId: 'app-1', commit: '3'.repeat(40) }]);
    await expectShown(page.getByText('The branch is back where it was'));
  });

  test('conflicts, refusals and a rewritten branch are said where they are', async () => {
    const page = await opened();
    await compares(page, 1, 1, { rewritten: 3 });
    await inMain(page, (fake) => {
      fake.answers['pull-branch'] = () => ({ outcome: 'conflicts', files: ['src/<b>a</b>.ts'] });
    });
    await sync(page);
    const dialog = page.getByRole('dialog');
    await expectShown(dialog.getByText(/3 commits that it had are gone/));
    await dialog.getByRole('button', { name: 'Pull 1 commit' }).click();
    await expectShown(dialog.getByText('src/<b>a</b>.ts'));
    expect(await violations(page)).toEqual([]);
    await inMain(page, (fake) => {
      fake.answers['pull-branch'] = () => Promise.reject(new Error('The server has other commits.'));
    });
    await dialog.getByRole('button', { name: 'Pull 1 commit' }).click();
    await expectShown(dialog.getByText(/The server has other commits/));
    await compares(page, 0, 0);
    await dialog.getByRole('button', { name: 'Look again' }).click();
    await expectShown(dialog.getByText('Both have the same commits.'));
  });

  test('its progress is shown, and Cancel and Escape end it', async () => {
    const page = await opened();
    await inMain(page, (fake) => {
      fake.answers['compare-with-remote'] = () => new Promise(() => {});
    });
    await sync(page);
    await expect.poll(() => asked(page, 'compare-with-remote')).toHaveLength(1);
    const [{ taskId }] = (await asked(page, 'compare-with-remote')) as [{ taskId: string }];
    await inMain(
      page,
      (fake, taskId) => {
        fake.tell('git:progress', { taskId: 'another', phase: 'Writing objects', percent: 7 });
        fake.tell('git:progress', { taskId, phase: 'Receiving objects', percent: 42 });
      },
      taskId,
    );
    await expectShown(page.getByText('Receiving objects, 42 %'));
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await asked(page, 'cancel-git')).toEqual([{ taskId }]);
    await page.keyboard.press('Escape');
    await expectGone(page.getByRole('dialog'));
    await expect.poll(() => asked(page, 'cancel-git')).toEqual([{ taskId }, { taskId }]);
  });

  test('a remote that is not used says why, and one without an address how to add it', async () => {
    const page = await opened();
    const shows = async (remotes: unknown[]): Promise<void> => {
      await inMain(
        page,
        (fake, remotes) => {
          const upstream = remotes.length === 0 ? null : { remote: 'origin', branch: 'main', isSet: true };
          const [root, branch, commit] = ['/home/mira/shop', 'main', '1'.repeat(40)];
          const more = { branches: [], more: 0, noRemotes: null, gh: false };
          fake.answers['read-git'] = () => ({ root, branch, commit, remotes, upstream, ...more });
          fake.tell('app:files-changed', { appId: 'app-1' });
        },
        remotes,
      );
    };
    const refused = 'The remote "origin" is neither https, http, ssh nor a folder.';
    await shows([{ name: 'origin', url: 'ext::sh', pushUrl: 'ext::sh', refused }]);
    await expectShown(page.getByText(refused));
    await expectGone(page.getByRole('button', { name: 'Push or pull…' }));
    await shows([]);
    await expectShown(page.getByText(/git remote add origin/));
  });

  test('fits into a narrow window, in both themes', async () => {
    for (const theme of ['light', 'dark'] as const) {
      const page = await opened({ theme, window: { viewport: { width: 360, height: 740 } } });
      await compares(page, 3, 60, { rewritten: 2 });
      await sync(page);
      await expectShown(page.getByText('60 commits to push'));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide).toBeLessThanOrEqual(0);
      expect(await violations(page)).toEqual([]);
    }
  });

  test('a branch is made by keyboard, switched to, merged and deleted, each with what it says', async () => {
    const page = await opened();
    const open = async (): Promise<void> => page.getByRole('button', { name: 'Branches…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Branches' });
    await open();
    expect(await violations(page)).toEqual([]);
    await inMain(page, (fake) => {
      fake.answers['create-branch'] = () => Promise.reject(new Error('There is the branch main already.'));
    });
    await page.getByLabel('New branch from here').fill('main');
    await page.keyboard.press('Enter');
    await expectShown(dialog.getByText(/There is the branch main already/));
    await inMain(page, (fake) => {
      delete fake.answers['create-branch'];
    });
    await page.getByLabel('New branch from here').fill('totals');
    await page.keyboard.press('Enter');
    await expectGone(dialog);
    await expectShown(page.getByText('You are on totals now'));
    expect(await asked(page, 'create-branch')).toEqual([
      { appId: 'app-1', name: 'main' },
      { appId: 'app-1', name: 'totals' },
    ]);
    await open();
    await dialog.getByRole('button', { name: 'A branch for this chat' }).click();
    await expectShown(page.getByText('You are on mustard/errors-of-monday-2 now'));
    await open();
    await dialog.getByRole('button', { name: 'Switch to old-totals' }).click();
    await expectGone(dialog);
    expect(await asked(page, 'switch-branch')).toEqual([{ appId: 'app-1', name: 'old-totals' }]);
    await open();
    await expectGone(dialog.getByRole('button', { name: 'Delete mustard/errors-of-monday, which is merged' }));
    await dialog.getByRole('button', { name: 'Delete old-totals, which is merged' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    const deleted = { appId: 'app-1', name: 'old-totals', commit: 'c'.repeat(40) };
    await expect.poll(() => asked(page, 'restore-branch')).toEqual([deleted]);
    expect(await asked(page, 'delete-branch')).toEqual([deleted]);
    await open();
    await inMain(page, (fake) => {
      fake.answers['merge-branch'] = () => ({ outcome: 'conflicts', files: ['src/a.ts'] });
    });
    await dialog.getByRole('button', { name: 'Merge mustard/errors-of-monday into main' }).click();
    await expectShown(dialog.getByText('src/a.ts'));
    await inMain(page, (fake) => {
      const [commit, before] = ['b'.repeat(40), '1'.repeat(40)];
      fake.answers['merge-branch'] = () => ({ outcome: 'joined', commit, before, merged: false, files: 2 });
    });
    await dialog.getByRole('button', { name: 'Merge mustard/errors-of-monday into main' }).click();
    await expectShown(page.getByText('Merged mustard/errors-of-monday into main'));
  });

  test('a pull request shows the command that is run, as it is edited', async () => {
    const page = await opened();
    await page.getByRole('button', { name: 'Pull request…' }).click();
    const dialog = page.getByRole('dialog', { name: 'New pull request' });
    await dialog.getByLabel('Title').fill("It's <b>done</b>");
    await dialog.getByRole('textbox', { name: 'Text' }).fill('Closes nothing.');
    await dialog.getByLabel('Into the branch').selectOption('release');
    await dialog.getByLabel('As a draft').check();
    const shown =
      "gh pr create --repo=git.example.org/mira/shop --head=main --base=release '--title=It'\\''s <b>done</b>' --body-file=- --draft";
    await expectShown(dialog.getByText(shown, { exact: true }));
    expect(await violations(page)).toEqual([]);
    await inMain(page, (fake) => {
      fake.answers['create-pull-request'] = () => Promise.reject(new Error('gh is not signed in.'));
    });
    await dialog.getByRole('button', { name: 'Make the pull request' }).click();
    await expectShown(dialog.getByText(/gh is not signed in/));
    await inMain(page, (fake) => {
      delete fake.answers['create-pull-request'];
    });
    await dialog.getByRole('button', { name: 'Make the pull request' }).click();
    await expectShown(dialog.getByRole('link', { name: 'https://git.example.org/mira/shop/pull/7' }));
    expect((await asked(page, 'create-pull-request')).at(-1)).toMatchObject({
      title: "It's <b>done</b>",
      body: 'Closes nothing.',
      base: 'release',
      branch: 'main',
      draft: true,
      repository: 'git.example.org/mira/shop',
    });
  });

  test('no page throws', () => {
    expect(pages.problems).toEqual([]);
  });
});
