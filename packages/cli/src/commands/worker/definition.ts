import type { WorkerFlags } from './action.ts';
import { withOutput, type Definition } from '../command-context.ts';

export const defineWorker: Definition = (program, { signal, done }) => {
  const command = program.command('worker').description('Run jobs of a fleet on this machine.');
  withOutput(command)
    .option(
      '--queue <url>',
      'redis://HOST:PORT, rediss://, unix:/PATH or postgres:// (default: the variable MUSTARD_SANDBOX_QUEUE)',
    )
    .requiredOption('--keys <file>', 'the tenants whose jobs it takes: TENANT KEY_ID KEY [WEIGHT] on each line')
    .option('--files <dir>', 'folder that clients and workers share, or s3://BUCKET, for the files of runs')
    .option('--cache <dir>', "where fetched files are kept (default: in the user's cache folder)")
    .option('--cache-bytes <size>', 'how much room fetched files may take (default: 10gb)')
    .option('--slots <count>', 'jobs at the same time (default: the number of processors)')
    .option('--isolation <how>', 'jail, process, or auto: a jail where one works (default: jail)')
    .option('--lost-after <time>', 'how long it may be silent before others take its jobs (default: 10s)')
    .option('--drain <time>', 'how long jobs may go on after SIGTERM before they are handed back (default: 30s)')
    .option('--listen <address>', 'HOST:PORT for /health, /ready and /metrics (default: none)')
    .option('--trace', 'make spans for OpenTelemetry, where something in the process collects them')
    .option('--name <name>', 'its name in fleet status (default: from host and process)')
    .addHelpText('after', help)
    .action(async (flags: WorkerFlags) => {
      const { worker } = await import('./action.ts');
      done(await worker(flags, signal));
    });
};

const help = `
With --json the object is { "ok": true, "name", "release", "slots", "url" }, printed once it takes jobs.

Jobs come from connectFleet of @mustard-sandbox/fleet, or from --fleet URL of the other commands. The worker takes jobs of
the tenants in --keys alone, and believes nobody else. On SIGTERM and Ctrl-C it takes no more jobs, lets those that it
has end, hands back what has not ended after --drain, and exits with 0; a second one ends it at once. What a worker that
is killed had, others do again.

Examples:
  $ mustard-sandbox fleet key acme > keys
  $ mustard-sandbox worker --queue redis://queue:6379 --keys keys --files /mnt/shared
  $ mustard-sandbox run count.js --attach server.log --fleet redis://queue:6379 --fleet-keys keys --fleet-files /mnt/shared
  $ mustard-sandbox fleet status --queue redis://queue:6379 --keys keys`;
