import {
  assertGates,
  assertRequest,
  bashPrompt,
  createWorkspaces,
  gatesOf,
  requestedCommand,
} from '@mustard-sandbox/bash-tools';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from './support.ts';

const on = { MUSTARD_ENABLE_BASH_TOOL: '1' };
const settings = { enabled: true, access: 'loopback' as const };
const secret = 'x'.repeat(32);
const lan = { enabled: true, access: 'lan' as const, secret };

describe('the gates', () => {
  it('are closed by default, and open only together', () => {
    expect(() => assertGates({ ...settings, enabled: false }, {})).toThrow(
      /enabled is not true; MUSTARD_ENABLE_BASH_TOOL is not/,
    );
    expect(() => assertGates(settings, {})).toThrow(expect.objectContaining({ code: 'disabled' }));
    expect(() => assertGates({ ...settings, enabled: false }, on)).toThrow(
      expect.objectContaining({ code: 'disabled' }),
    );
    expect(() => assertGates(settings, on)).not.toThrow();
  });

  it.each([['1'], ['true'], ['YES'], ['on'], [' On ']])('the variable is on as %j', (value) =>
    expect(() => assertGates(settings, { MUSTARD_ENABLE_BASH_TOOL: value })).not.toThrow(),
  );

  it.each([[''], ['0'], ['false'], ['off'], ['2'], ['truee']])('and off as %j', (value) =>
    expect(() => assertGates(settings, { MUSTARD_ENABLE_BASH_TOOL: value })).toThrow(/is not 1/),
  );

  it('`lan` wants a secret of some length', () => {
    expect(gatesOf({ ...lan, secret: 'short' }, on).map(({ open }) => open)).toEqual([true, true, false]);
    expect(gatesOf(lan, on).map(({ open }) => open)).toEqual([true, true, true]);
  });

  it.each([['127.0.0.1'], ['127.8.9.1'], ['::1'], ['::ffff:127.0.0.1']])('%s is this machine', (remoteAddress) =>
    expect(() => assertRequest(settings, { remoteAddress }, on)).not.toThrow(),
  );

  it.each([['10.0.0.1'], ['::ffff:10.0.0.1'], ['127.0.0.1.example.com'], ['1127.0.0.1'], [undefined], ['']])(
    '%s is not',
    (remoteAddress) =>
      expect(() => assertRequest(settings, { remoteAddress }, on)).toThrow(
        expect.objectContaining({ code: 'forbidden' }),
      ),
  );

  it('with `lan` every request has the secret, those of this machine too', () => {
    for (const remoteAddress of ['10.0.0.1', '127.0.0.1']) {
      expect(() => assertRequest(lan, { remoteAddress, secret }, on)).not.toThrow();
      for (const wrong of [undefined, '', 'x', `${secret}x`, 'y'.repeat(32)]) {
        const request = { remoteAddress, ...(wrong !== undefined && { secret: wrong }) };
        expect(() => assertRequest(lan, request, on)).toThrow(expect.objectContaining({ code: 'forbidden' }));
      }
    }
    expect(() => assertRequest({ ...lan, secret: '' }, { remoteAddress: '::1', secret: '' }, on)).toThrow(
      /32 characters/,
    );
  });
});

it.each([
  ['timeoutMs', 0],
  ['processes', -1],
  ['memoryBytes', 1.5],
  ['maxConcurrent', '2'],
  ['idleTtlMs', Infinity],
])('a limit that makes no sense is refused by its name: %s', async (name, value) => {
  const options = { directory: scratchFolder(), limits: { [name]: value } };
  await expect(createWorkspaces(options)).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(name) as string,
  });
});

describe('the prompt', () => {
  it('is short, and says what matters', () => {
    const prompt = bashPrompt();
    expect(prompt.length).toBeLessThan(700);
    for (const said of ['bash', 'only read', 'untrusted']) expect(prompt).toContain(said);
  });

  it.each([
    ['run: `npm test`', 'npm test'],
    ['Run `ls -la`', 'ls -la'],
    ['execute `git status`.', 'git status'],
    ['Please run: ``echo `date` ``', 'echo `date`'],
    ['run: ```\nnpm ci\nnpm test\n```', 'npm ci\nnpm test'],
    ['run: `a` `b`', undefined],
    ['run the tests', undefined],
    ['what does `rm -rf /` do?', undefined],
    ['do not run: `rm -rf /`', undefined],
    ['run: `a` and then `b`', undefined],
    ['run: ``', undefined],
  ])('"%s" asks for %j', (message, command) => expect(requestedCommand(message)).toBe(command));

  it('is not kept busy by a message made for that', () => {
    const startedAt = process.cpuUsage();
    for (const text of ['run `'.repeat(4_000), `run ${'`'.repeat(19_000)}a`, `run \`${' '.repeat(19_000)}`])
      requestedCommand(text);
    expect(process.cpuUsage(startedAt).user).toBeLessThan(2_000_000);
  });
});
