import { Option } from 'commander';
import type { McpFlags } from '../commands/mcp.ts';
import { collect, engineOption, withConfiguration, withRemote, type Definition } from './command-context.ts';

export const defineMcp: Definition = (program, { version, signal, done }) => {
  const command = program.command('mcp').description('Serve scripts over files to an MCP client, on stdin and stdout.');
  withRemote(withConfiguration(command))
    .option('--root <dir>', "folder that scripts may read in (default: the client's first root)")
    .option('--attach <file>', 'file that scripts read as attachments:<its name>; also NAME=FILE', collect, [])
    .addOption(
      new Option('--consent <mode>', 'whether the user is asked before a script runs')
        .choices(['ask', 'always', 'never'])
        .default('ask'),
    )
    .addOption(
      new Option('--bash <backend>', 'also serve bash, readFile and writeFile for an isolated workspace').choices([
        'local',
        'memory',
        'remote',
      ]),
    )
    .option('--workspace <dir>', 'folder that commands work in (default: one that goes with the server)')
    .option('--timeout <time>', 'how long one script may run (default: 2s, at most 10s)')
    .option(...engineOption)
    .option('--media-dir <dir>', 'stored attachments and outputs, relative to the root (default: .dyad/media)')
    .addHelpText('after', help)
    .action(async (flags: McpFlags) => {
      const { mcp } = await import('../commands/mcp.ts');
      done(await mcp(version, flags, signal));
    });
};

const help = `
For Claude, Cursor, VS Code and other MCP clients, which start it themselves: docs/mcp.md has the configuration for
each. With --consent ask (the default) the client shows the user each script before it runs; a client that cannot ask
gets a refusal. With --consent always it does not ask: fit for clients that ask before they call a tool.

With --bash commands run in a jail on this machine (local), in an interpreter without programs (memory), or on a
machine elsewhere (remote). It wants [app.bash_tools] enabled = true in the configuration and MUSTARD_ENABLE_BASH_TOOL=1
in the environment; doctor says what is missing. Scripts read the workspace, unless --root names another folder.

Ends when the client closes stdin, and on SIGINT and SIGTERM, always with 0. What is wrong goes to stderr.

Examples:
  $ mustard-sandbox mcp --root .
  $ mustard-sandbox mcp --root ~/project --attach server.log --consent always
  $ mustard-sandbox mcp --bash local --workspace ~/scratch
  $ mustard-sandbox mcp --attach today=logs/server.log --timeout 10s`;
