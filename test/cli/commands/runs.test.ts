import { chmodSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliInProcess as cli } from '../in-process.ts';
import { isPosix, parseOnly } from '../support.ts';
import { fixture, runAt, serversFile } from '../gateway.ts';
import { gatewayOf, keyOf } from '../../../packages/cli/src/gateway/folder.ts';

const script = `const found = await tracker.search_issues({ query: 'cup' });
const made = await tracker.create_issue({ repo: 'shop', title: found.issues[0].title });
made`;
const id = '7f3a0000000000aa';

/** A run of that script that waits for a person. */
async function waiting(more: object = {}, text = script): Promise<string> {
  const servers = serversFile(more);
  expect(await runAt(servers, text, id)).toMatchObject({ status: 'waiting' });
  return servers;
}

describe('runs', () => {
  it('lists what waits, and shows what for: tool, all arguments, code, calls so far', async () => {
    const servers = await waiting();
    const listed = await cli(['runs', 'list']);
    expect(listed).toMatchObject({ exitCode: 0 });
    expect(listed.stdout).toContain(`${id}  waiting  2 tracker.create_issue`);
    expect(listed.stdout).toContain(servers);

    const { stdout, stderr, exitCode } = await cli(['runs', 'show', '7f3a']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('call 2  tracker.create_issue  waits for your approval');
    expect(stdout).toContain('"title": "cup 1"');
    expect(stdout).toMatch(/> 2 \| const made = await tracker\.create_issue/);
    expect(stdout).toMatch(/1 {2}tracker\.search_issues {2}done · \d+ ms/);
    expect(stdout).toContain('allow tracker.create_issue() with the same arguments');
    expect(stderr).toContain(`mustard-sandbox runs approve ${id} 2`);
  });

  it('approves, and goes on after the server has ended', async () => {
    await waiting();
    const approved = await cli(['runs', 'approve', '7f3a', '--by', 'ann']);
    expect(approved.stdout).toContain('decided on call 2, tracker.create_issue');
    expect(approved.stderr).toContain(`mustard-sandbox runs resume ${id}`);
    const resumed = await cli(['runs', 'resume', '7f3a']);
    expect(resumed).toMatchObject({ exitCode: 0, stdout: '{"made":"shop: cup 1"}\n' });
    const { audit } = parseOnly(await cli(['runs', 'show', '7f3a', '--json']));
    expect(audit).toMatchObject([{ ruling: 'allowed' }, { ruling: 'approved', by: 'ann' }]);
    expect((await cli(['runs', 'list'])).stdout).toBe('No run waits.\n');
    expect((await cli(['runs', 'list', '--all'])).stdout).toContain('completed');
  }, 20_000);

  it('decides on a proposal as a whole', async () => {
    const create_issue = { standIn: { made: 'later' } };
    const tracker = { command: process.execPath, args: [fixture], tools: { create_issue } };
    await waiting({ mcpServers: { tracker }, writes: 'propose' });
    const { stdout, stderr } = await cli(['runs', 'show', '7f3a']);
    expect(stdout).toContain('call 2  tracker.create_issue  is made when you approve the proposal');
    expect(stderr).toContain(`to have none of them made: mustard-sandbox runs deny ${id}`);
    expect(await cli(['runs', 'approve', id, '2'])).toMatchObject({ exitCode: 2 });
    expect((await cli(['runs', 'approve', id])).stdout).toContain('decided on call 2');
    expect(await cli(['runs', 'resume', id])).toMatchObject({ exitCode: 0, stdout: '{"made":"later"}\n' });
  }, 20_000);

  it('applies no decision twice', async () => {
    await waiting();
    expect(await cli(['runs', 'deny', id, '2'])).toMatchObject({ exitCode: 0 });
    const again = await cli(['runs', 'approve', id, '2', '--json']);
    expect(again).toMatchObject({ exitCode: 2 });
    expect(parseOnly(again).error).toMatchObject({ code: 'not_pending' });
  });

  it('denies with a reason, which the script can catch', async () => {
    await waiting({}, `try { await tracker.create_issue({ repo: 'a', title: 'b' }) } catch (e) { e.message }`);
    await cli(['runs', 'deny', id, '--why', 'not on Fridays']);
    expect(await cli(['runs', 'resume', id])).toMatchObject({
      exitCode: 0,
      stdout: '"tracker.create_issue() was denied: not on Fridays"\n',
    });
  }, 20_000);

  it('keeps what is always allowed, for later runs', async () => {
    const servers = await waiting();
    await cli(['runs', 'approve', id, '--always']);
    expect(await runAt(servers, script)).toMatchObject({ status: 'completed' });
    const other = script.replace('cup', 'pen');
    expect(await runAt(servers, other)).toMatchObject({ status: 'waiting' });
  }, 20_000);

  it('cancels', async () => {
    await waiting();
    expect(await cli(['runs', 'cancel', id])).toMatchObject({ exitCode: 0, stdout: `${id}  cancelled\n` });
    expect(await cli(['runs', 'cancel', id])).toMatchObject({ exitCode: 2 });
    expect(await cli(['runs', 'resume', id])).toMatchObject({ stdout: 'The script was cancelled.\n' });
  }, 20_000);

  it('wants numbers where several calls wait, and takes several', async () => {
    const two = `await Promise.all(['a', 'b'].map((title) => tracker.create_issue({ repo: 'r', title })))`;
    await waiting({}, two);
    const unclear = await cli(['runs', 'approve', id]);
    expect(unclear).toMatchObject({ exitCode: 2 });
    expect(unclear.stderr).toContain('1 (tracker.create_issue), 2 (tracker.create_issue)');
    expect((await cli(['runs', 'approve', id, '1', '2'])).stdout).toMatch(/call 1.*call 2/s);
  });

  it('shows what does not print', async () => {
    const title = String.raw`shop\u202egnp\u200b`;
    await waiting({}, `await tracker.create_issue({ repo: 'r', title: '${title}' })`);
    const { stdout } = await cli(['runs', 'show', id]);
    expect(stdout).toContain(String.raw`shop\u{202e}gnp\u{200b}`);
    expect(stdout).not.toMatch(/[\u202e\u200b]/);
  });

  it('shows all arguments, however long', async () => {
    await waiting({}, `await tracker.create_issue({ repo: 'r', title: 'x'.repeat(100_000) + 'END' })`);
    expect((await cli(['runs', 'show', id])).stdout).toContain('xEND"');
  });

  const wrong: [string[], RegExp][] = [
    [['run'], /'run' is invalid.*Allowed choices are list, show/s],
    [['show'], /which run\?.*runs list/s],
    [['show', 'nowhere'], /There is no run 'nowhere'/],
    [['show', ''], /There is no run ''/],
    [['list', id], /it takes no run/],
    [['cancel', id, '2'], /it takes no calls/],
    [['approve', id, 'two'], /'two' is no number/],
    [['approve', id, '--for-run', '--always'], /use one of them/],
    [['approve', id, '--why', 'no'], /--why is for runs deny/],
    [['answer', id, '2'], /either --value JSON or --outcome/],
    [['answer', id, '2', '--value', 'done'], /'done' is not JSON.*'"done"'/s],
    [['answer', id, '2', '--value', '1'], /wrong_decision: Call 2/],
    [['approve', id, '1'], /not_pending/],
  ];
  it('says what is wrong', async () => {
    await waiting();
    for (const [args, message] of wrong) {
      const ended = await cli(['runs', ...args]);
      expect(ended, args.join(' ')).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ended.stderr).toMatch(message);
    }
  });
});

describe('what is kept of runs', () => {
  it.skipIf(!isPosix)('is for this user alone', async () => {
    const servers = await waiting({}, script);
    const { path } = await gatewayOf(servers);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, 'key')).mode & 0o777).toBe(0o600);
    // Neither the script nor its inputs can be read without the key.
    for (const name of readdirSync(path).filter((name) => name.startsWith('runs.db'))) {
      expect(readFileSync(join(path, name)).includes('await tracker.search_issues')).toBe(false);
    }
  });

  it('has one key, whoever makes it first', async () => {
    const folder = await gatewayOf(serversFile());
    const keys = await Promise.all(Array.from({ length: 20 }, () => keyOf(folder)));
    expect(new Set(keys.map(({ key }) => key.toString())).size).toBe(1);
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('is not opened with a damaged key, which is not replaced', async () => {
    const { path } = await gatewayOf(await waiting());
    writeFileSync(join(path, 'key'), 'short\n');
    const shown = await cli(['runs', 'show', id]);
    expect(shown).toMatchObject({ exitCode: 2 });
    expect(shown.stderr).toContain('restore it from a backup');
    expect(readFileSync(join(path, 'key'), 'utf8')).toBe('short\n');
  });

  it.skipIf(!isPosix || process.getuid?.() === 0)('says that it cannot be read', async () => {
    const { path } = await gatewayOf(await waiting());
    chmodSync(join(path, 'key'), 0);
    expect(await cli(['runs', 'show', id])).toMatchObject({ exitCode: 2 });
  });
});
