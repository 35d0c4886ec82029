// Branches, push and pull as a page asks for them.
import { afterAll, expect, it } from 'vitest';
import { filesOf, git, good, hideOwnGit, put, removeFolders, state } from '../changes/apps.ts';
import { Peer, startAgent } from '../support.ts';
import { backend, serve } from './servers.ts';
import { commit, head, team } from './team.ts';

hideOwnGit();
afterAll(removeFolders);

it('a page makes a branch for its chat, pushes, pulls, merges and deletes, and hears of each change', async () => {
  const { app, bare, pushed } = team();
  git(app, 'remote', 'set-url', 'origin', `${await serve(backend(bare))}/shop.git`);
  const program = await startAgent();
  const page = await Peer.ready(program);
  const appId = await program.addFolder(app);
  const { id: chatId } = await page.ask('create-chat', { appId });
  await page.ask('update-chat', { chatId, title: 'Errors of Monday' });

  expect(await page.ask('create-chat-branch', { chatId })).toEqual({ name: 'mustard/errors-of-monday' });
  commit(app, { 'c.txt': 'c\n' }, 'mine');
  const seen = await page.ask('read-git', { appId });
  expect(seen).toMatchObject({ branch: 'mustard/errors-of-monday', branches: [{ name: 'main', merged: true }] });
  const { url, pushUrl } = seen.remotes[0] ?? { url: '', pushUrl: '' };
  const agreed = { appId, remote: 'origin', url, pushUrl, branch: 'mustard/errors-of-monday' };
  const { ours, theirs } = await page.ask('compare-with-remote', { ...agreed, taskId: 'look' });
  await page.ask('push-branch', { ...agreed, taskId: 'push', ours, theirs });
  expect(head(bare, 'mustard/errors-of-monday')).toBe(head(app));
  const told = await page.until(({ event, data }) => {
    return event === 'git:progress' && (data as { taskId: string }).taskId === 'push';
  });
  expect(told['data']).toMatchObject({ phase: expect.stringMatching(/objects$/) });

  put(app, { 'b.txt': 'by hand\n' });
  await page.ask('switch-branch', { appId, name: 'main' });
  await page.until(({ event }) => event === 'app:files-changed');
  expect(filesOf(app)).not.toHaveProperty('c.txt');
  pushed({ 'a.txt': 'theirs\n' }, 'theirs');
  const onMain = { ...agreed, branch: 'main' };
  const compared = await page.ask('compare-with-remote', { ...onMain, taskId: 'look' });
  const fetched = { appId, taskId: 'pull', remote: 'origin', branch: 'main', ours: compared.ours };
  const pulled = await page.ask('pull-branch', { ...fetched, theirs: compared.theirs ?? '' });
  expect(pulled).toMatchObject({ outcome: 'joined', merged: false, files: 1 });
  await page.ask('undo-join', { appId, commit: head(app) });
  expect(head(app)).toBe(compared.ours);
  await page.ask('pull-branch', { ...fetched, taskId: 'again', theirs: compared.theirs ?? '' });

  const branch = { name: 'mustard/errors-of-monday', commit: head(app, 'mustard/errors-of-monday') };
  expect(await page.ask('merge-branch', { appId, taskId: 'merge', ...branch })).toMatchObject({ merged: true });
  expect(filesOf(app)).toMatchObject({ 'a.txt': 'theirs\n', 'b.txt': 'by hand\n', 'c.txt': 'c\n' });
  await page.ask('delete-branch', { appId, ...branch });
  await page.ask('restore-branch', { appId, ...branch });
  expect(head(app, branch.name)).toBe(branch.commit);
  expect(state(app)).toEqual(good);
});

it('a page cancels what stalls, and one that is gone has cancelled it', async () => {
  const { app } = team();
  let open = 0;
  const origin = await serve((request) => {
    open += 1;
    request.socket.on('close', () => (open -= 1));
  });
  git(app, 'remote', 'set-url', 'origin', `${origin}/shop.git`);
  const program = await startAgent();
  const [page, other] = [await Peer.ready(program), await Peer.ready(program)];
  const appId = await program.addFolder(app);
  const url = `${origin}/shop.git`;
  const agreed = { appId, remote: 'origin', url, pushUrl: url, branch: 'main' };
  const stalled = page.request('compare-with-remote', { ...agreed, taskId: 'one' });
  await expect.poll(() => open).toBe(1);
  // What is changed meanwhile does not wait for it.
  await page.ask('create-branch', { appId, name: 'meanwhile' });
  expect(await page.request('compare-with-remote', { ...agreed, taskId: 'one' })).toMatchObject({
    error: { code: 'invalid_request' },
  });
  await page.ask('cancel-git', { taskId: 'one' });
  expect(await stalled).toMatchObject({ error: { code: 'cancelled' } });
  await expect.poll(() => open).toBe(0);
  other.send({ type: 'request', id: 99, channel: 'compare-with-remote', params: { ...agreed, taskId: 'two' } });
  await expect.poll(() => open).toBe(1);
  other.socket.terminate();
  await expect.poll(() => open).toBe(0);
});
