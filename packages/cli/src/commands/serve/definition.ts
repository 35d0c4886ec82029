import type { ServeFlags } from './action.ts';
import { collect, engineOption, withOutput, type Definition } from '../command-context.ts';

export const defineServe: Definition = (program, { signal, done }) => {
  const command = program.command('serve').description('Run sandboxes for others, over HTTP and WebSocket.');
  withOutput(command)
    .option(
      '--listen <address>',
      'address and port, 0 for any that is free; or unix:/PATH, for this user alone',
      '127.0.0.1:7777',
    )
    .option('--token-file <file>', 'the tokens of clients: TOKEN or NAME TOKEN on each line')
    .option('--tls-cert <file>', 'certificate, as PEM')
    .option('--tls-key <file>', 'its key, as PEM')
    .option('--allow-root <dir>', 'folder of this machine whose files clients may name', collect, [])
    .option('--allow-host <name>', 'name by which clients reach this server', collect, [])
    .option('--proxy <address>', 'proxy whose X-Forwarded-For says where its clients are', collect, [])
    .option('--store <dir>', "where uploads are kept (default: in the user's cache folder, by port)")
    .option('--store-bytes <size>', 'how much room the uploads of one token may take (default: 64gb)')
    .option(
      '--processes <count>',
      'scripts that one token may run at the same time (default: by processors, at most 4)',
    )
    .option('--isolation <how>', 'process, jail, or auto: a jail where one works (default: auto)')
    .option(...engineOption)
    .option('--log-level <level>', 'silent, error, warn, info or debug; JSON lines on stderr', 'info')
    .addHelpText('after', help)
    .action(async (flags: ServeFlags) => {
      const { serve } = await import('./action.ts');
      done(await serve(flags, signal));
    });
};

const help = `
With --json the object is { "ok": true, "url", "warnings" }, printed once the server listens.

Clients connect with connectSandbox of @mustard-sandbox/remote, or with --remote URL of the other commands. The
address goes to stdout once the server listens. Each token has a sandbox, a store and limits of its own.

Any address but loopback needs a token of at least 32 characters that nobody can guess, and should have TLS, here or in
a proxy. On SIGTERM and Ctrl-C it takes no more runs, lets those under way end, and exits with 0; a second one ends it
at once. GET /health says whether it takes runs, GET /metrics has figures for Prometheus.

Examples:
  $ mustard-sandbox serve --allow-root /srv/logs
  $ openssl rand -base64 32 > token && mustard-sandbox serve --listen 0.0.0.0:7777 --token-file token
  $ mustard-sandbox run count.js --attach server.log --remote http://127.0.0.1:7777`;
