import { Option } from 'commander';
import type { McpFlags } from './flags.ts';
import { collect, engineOption, withConfiguration, withRemote, type Definition } from '../command-context.ts';

export const defineMcp: Definition = (program, { version, signal, done }) => {
  const command = program
    .command('mcp')
    .description('Serve scripts over files to MCP clients, on stdin and stdout or over HTTP.');
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
        'vercel',
      ]),
    )
    .option('--connect <file>', 'serve run_script, whose scripts call the MCP servers of this servers.json')
    .option('--workspace <dir>', 'folder that commands work in (default: one that is removed when the server ends)')
    .option('--timeout <time>', 'how long one script may compute (default: 2s, at most 1h)')
    .option(...engineOption)
    .option('--media-dir <dir>', 'stored attachments and outputs, relative to the root (default: .dyad/media)')
    .option('--out <dir>', 'folder where scripts keep files by save(name, rows); it should have nothing else in it')
    .option('--listen <address>', 'serve over HTTP instead, at [HOST:]PORT; any HOST but loopback needs --issuer')
    .option('--issuer <url>', 'with --listen: the authorization server (OAuth) whose tokens are taken')
    .option('--resource <url>', 'with --issuer: the address of this server for clients, which tokens must be for')
    .option('--scope <name>', 'with --issuer: the scope that tokens must have (default: mustard-sandbox)')
    .option('--tls-cert <file>', 'with --listen: certificate, as PEM')
    .option('--tls-key <file>', 'with --listen: its key, as PEM')
    .option('--allow-host <name>', 'with --listen: name by which clients reach this server', collect)
    .option('--proxy <address>', 'with --listen: proxy whose X-Forwarded-For says where its clients are', collect)
    .option('--store <dir>', 'with --listen: where uploads are kept (default: a temporary folder)')
    .option('--store-bytes <size>', 'with --listen: how much room the files of one user may take (default: 4gb)')
    .option('--log-level <level>', 'with --listen: silent, error, warn, info or debug (default: info)')
    .addHelpText('after', help)
    .action(async (flags: McpFlags) => {
      const { mcp } = await import('./action.ts');
      done(await mcp(version, flags, signal));
    });
};

const help = `
For Claude, Cursor, VS Code and other MCP clients, which start it themselves: docs/mcp.md has the configuration for
each. With --consent ask (the default) the client shows the user each script before it runs; a client that cannot ask
gets a refusal. With --consent always it does not ask: fit for clients that ask before they call a tool.

With --bash commands run in a jail on this machine (local), in an interpreter without programs (memory), or on a
machine of Vercel (vercel). It wants [app.bash_tools] enabled = true in the configuration and MUSTARD_ENABLE_BASH_TOOL=1
in the environment; doctor says what is missing. Scripts read the workspace, unless --root names another folder.

With --connect the one tool run_script fronts the servers of FILE, which has the mcpServers of Claude Desktop and Cursor.
A script waits where a call needs a person: the client asks, or mustard-sandbox runs decides. resume_script gives what
came of it, also after a restart. --consent always lets every call through that no rule of FILE denies.

With --listen it serves streamable HTTP: the address goes to stdout. Each user has files and limits of their own, and
uploads files to addresses that the tool upload_file gives. GET /health says whether it serves, GET /metrics has figures.

Ends when the client closes stdin, and on SIGINT and SIGTERM, always with 0. What is wrong goes to stderr.

Examples:
  $ mustard-sandbox mcp --root .
  $ mustard-sandbox mcp --root ~/project --attach server.log --consent always
  $ mustard-sandbox mcp --connect servers.json
  $ mustard-sandbox mcp --bash local --workspace ~/scratch
  $ mustard-sandbox mcp --listen 7780 --root .
  $ mustard-sandbox mcp --attach today=logs/server.log --timeout 10s`;
