import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { fileURLToPath } from 'node:url';
import { cli, type Ended } from './support.ts';

const { version } = JSON.parse(readFileSync(new URL('../../packages/cli/package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Each command has a folder of its own. */
const commands = readdirSync(new URL('../../packages/cli/src/commands', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Makes a process fail that imports anything of ours but the command itself and the few functions for text. */
const refuseClient = `data:text/javascript,${encodeURIComponent(`
  import { register } from 'node:module';
  register('data:text/javascript,' + encodeURIComponent(\`
    export function resolve(specifier, context, next) {
      if (specifier.startsWith('@mustard-sandbox/') && !specifier.endsWith('/text')) throw new Error('loaded ' + specifier);
      return next(specifier, context);
    }\`));
`)}`;
const nodeArgs = ['--no-warnings', '--import', refuseClient];

/** Runs command lines, given as JSON, in one such process, and prints how each ended. */
const runner = fileURLToPath(new URL('fixtures/many.mjs', import.meta.url));

async function endsOf(commandLines: string[][]): Promise<Ended[]> {
  const { stdout } = await cli([JSON.stringify(commandLines)], { nodeArgs, main: runner });
  return JSON.parse(stdout) as Ended[];
}

describe('without loading the client', () => {
  it.each([['--version'], ['-V']])('%s prints the version', async (flag) => {
    expect(await cli([flag], { nodeArgs })).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
  });

  const helps: [args: string[], usage: string][] = [
    [['--help'], 'Usage: mustard-sandbox [options] [command]'],
    [['help'], 'Usage: mustard-sandbox [options] [command]'],
    [['help', 'run'], 'Usage: mustard-sandbox run [options] <file>'],
    [['doctor', '-h'], 'Usage: mustard-sandbox doctor [options]'],
    ...commands.map((name): [string[], string] => [[name, '--help'], `Usage: mustard-sandbox ${name} [options]`]),
  ];
  let ended: Ended[];
  beforeAll(async () => {
    ended = await endsOf(helps.map(([args]) => args));
  });
  it.each(helps.map(([args, usage], index) => [args, usage, index] as const))(
    '%j shows how it is used, with examples',
    (_args, usage, index) => {
      expect(ended[index]).toMatchObject({ exitCode: 0, stderr: '' });
      expect(ended[index]?.stdout).toContain(usage);
      expect(ended[index]?.stdout).toContain('\nExamples:\n  $ ');
    },
  );

  it('says what is wrong with the command line', async () => {
    const { exitCode, stderr } = await cli(['run', '--bogus'], { nodeArgs });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Unknown option '--bogus'");
  });

  it('would be noticed otherwise', async () => {
    const { exitCode, stderr } = await cli(['run', '-'], { nodeArgs });
    expect(exitCode).toBe(4);
    expect(stderr).toContain('loaded @mustard-sandbox/');
  });

  it('tells a failure that nobody expected without its stack', async () => {
    const { exitCode, stdout } = await cli(['run', '-', '--json'], { nodeArgs });
    expect(exitCode).toBe(4);
    const { error } = JSON.parse(stdout) as { error: { message: string; details: object } };
    expect(error.message).toContain('A bug in mustard-sandbox: loaded @mustard-sandbox/');
    expect(error.details).toEqual({});
  });
});
