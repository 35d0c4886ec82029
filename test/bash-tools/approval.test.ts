import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { actionFor, approvalSchema, createBashTools, type BashTools } from '@mustard-sandbox/bash-tools';
import type { ConsentAnswer, ConsentRequest } from '@mustard-sandbox/agent-tool';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { openWorkspaces, scratchFolder } from './support.ts';

const rules = approvalSchema.parse({
  rules: [
    { prefix: 'git status', action: 'allow' },
    { prefix: 'npm test', action: 'allow' },
    { prefix: 'npm', action: 'ask' },
    { prefix: 'rm', action: 'deny' },
    { prefix: 'head', action: 'allow' },
  ],
});

describe('what the rules say of a command', () => {
  it.each([
    ['git status', 'allow'],
    ['git status --short src', 'allow'],
    [`git 'status' "-sb"`, 'allow'],
    ['git status; git status && git status | head -n 3', 'allow'],
    ['git status *.ts', 'allow'],
    ['git', 'ask'],
    ['git statusx', 'ask'],
    ['git status; curl x', 'ask'],
    ['git status & curl x', 'ask'],
    ['git status\ncurl x', 'ask'],
    ['git status || curl x', 'ask'],
    ['git status $(curl x)', 'ask'],
    ['git status `curl x`', 'ask'],
    ['git status "$(curl x)"', 'ask'],
    ['git status <(curl x)', 'ask'],
    ['git status > ~/.bashrc', 'ask'],
    ['git status $X', 'ask'],
    ["git status # it's\ncurl x # '", 'ask'],
    ['git status \\\n; curl x', 'ask'],
    ['PATH=. git status', 'ask'],
    ['git status "unclosed', 'ask'],
    ['git status() { curl x; }', 'ask'],
    ['git\u00a0status', 'ask'],
    ['git status\rcurl x', 'ask'],
    ['git status\u2028curl x', 'ask'],
    ['npm test', 'ask'],
    ['rm -rf x', 'deny'],
    ['git status; rm x', 'deny'],
    ['git status $(rm x)', 'deny'],
    ['xargs rm', 'deny'],
    ['/bin/rm x', 'deny'],
    ['r"m" x', 'deny'],
  ])('%j: %s', (command, action) => expect(actionFor(rules, command)).toBe(action));

  it('without rules all commands are what `otherwise` says', () => {
    for (const otherwise of ['allow', 'ask', 'deny'] as const) {
      expect(actionFor(approvalSchema.parse({ otherwise }), 'a $(b) > c')).toBe(otherwise);
    }
  });

  it('a rule that is no plain words is refused', () => {
    for (const prefix of ['', 'git $X', 'git; rm', 'git\nrm', 'git > x']) {
      expect(approvalSchema.safeParse({ rules: [{ prefix, action: 'allow' }] }).success).toBe(false);
    }
  });

  it.skipIf(process.platform === 'win32')(
    'what is allowed runs nothing but what the rule says, by the word of bash',
    () => {
      const folder = scratchFolder();
      const log = join(folder, 'log');
      mkdirSync(join(folder, 'bin'));
      // Every program that is asked for writes down its name and its words.
      const stub = `#!/bin/bash\nIFS=,\nprintf '%s\\n' "\${0##*/},$*" >> ${log}\n`;
      for (const name of ['git', 'evil']) {
        writeFileSync(join(folder, 'bin', name), stub);
        chmodSync(join(folder, 'bin', name), 0o755);
      }
      const token = fc.constantFrom(
        ...['git', 'status', 'evil', ' ', ' ', '\n', ';', '&&', '|', '&', '||', "'", '"', '$(', ')', '`', '\\', '#'],
        ...['{', '}', '(', '<', '>', '$x', '!', 'if', 'then', 'fi', '=', '~', '*', '\t', 'git status', ' evil '],
      );
      const only = approvalSchema.parse({ rules: [{ prefix: 'git status', action: 'allow' }] });
      let allowed = 0;
      fc.assert(
        fc.property(fc.array(token, { minLength: 1, maxLength: 5 }), (tokens) => {
          const command = `git status${tokens.join('')}`;
          if (actionFor(only, command) !== 'allow') return;
          allowed++;
          rmSync(log, { force: true });
          spawnSync('/bin/bash', ['--norc', '-c', command], { cwd: folder, env: { PATH: join(folder, 'bin') } });
          const ran = existing(log).split('\n').filter(Boolean);
          expect(ran.filter((line) => !line.startsWith('git,status'))).toEqual([]);
        }),
        { numRuns: 400 },
      );
      expect(allowed).toBeGreaterThan(5);
    },
  );
});

function existing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

describe('a person who is asked', () => {
  const asked: ConsentRequest[] = [];
  let answer: ConsentAnswer | 'throw' = 'deny';
  let tools: BashTools;
  beforeAll(async () => {
    const workspace = await (await openWorkspaces({ backend: 'memory' })).open();
    const consent = async (request: ConsentRequest): Promise<ConsentAnswer> => {
      asked.push(request);
      if (answer === 'throw') throw new Error('no dialog');
      return answer;
    };
    tools = createBashTools({ workspace, consent, approval: { rules: [{ prefix: 'ls', action: 'allow' }] } });
  });
  const run = (command: string) => tools.bash.execute({ command });

  it('sees the whole command, with nothing hidden in it', async () => {
    await run('echo \u202ea\u0007');
    expect(asked.at(-1)).toMatchObject({ command: 'echo \u202ea\u0007', preview: '$ echo \\u{202e}a\\u{7}' });
    await run('./x\u3164 é\u200d a\ufe0f');
    expect(asked.at(-1)?.preview).toBe('$ ./x\\u{3164} é\\u{200d} a\\u{fe0f}');
  });

  it('is not asked about what a rule allows', async () => {
    asked.length = 0;
    expect(await run('ls')).toMatchObject({ exitCode: 0 });
    expect(asked).toEqual([]);
  });

  it('decides: no, once, and for this very command from now on', async () => {
    answer = 'deny';
    expect(await run('echo 1')).toMatchObject({
      exitCode: 126,
      stdout: '',
      stderr: expect.stringContaining('declined') as string,
    });
    answer = 'allow-once';
    expect(await run('echo 1')).toMatchObject({ exitCode: 0, stdout: '1' });
    answer = 'allow-always';
    await run('echo 1');
    answer = 'deny';
    expect(await run('echo 1')).toMatchObject({ exitCode: 0, stdout: '1' });
    expect(await run('echo 2')).toMatchObject({ exitCode: 126 });
  });

  it('whose dialog fails has said no', async () => {
    answer = 'throw';
    expect(await run('echo 3')).toMatchObject({ exitCode: 126 });
  });
});
