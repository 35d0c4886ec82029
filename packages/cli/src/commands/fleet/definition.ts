import { Argument } from 'commander';
import { actions, type FleetAction, type FleetFlags } from './flags.ts';
import { withOutput, type Definition } from '../command-context.ts';

export const defineFleet: Definition = (program, { done, signal }) => {
  const command = program
    .command('fleet')
    .description('Show what a fleet does, or make a key for a tenant of it.')
    .addArgument(new Argument('<action>', 'what to do').choices(actions))
    .argument('[tenant]', 'key: whose key; 1 to 32 lower-case letters, digits and hyphens');
  withOutput(command)
    .option('--queue <url>', 'status: where the queue is (default: the variable MUSTARD_SANDBOX_QUEUE)')
    .option('--keys <file>', 'status: the file of keys, for the names of the tenants')
    .option('--watch', 'status: show it every two seconds until Ctrl-C; with --json one object on each line')
    .option('--id <id>', 'key: the id of the key (default: today)')
    .addHelpText('after', help)
    .action(async (action: FleetAction, tenant: string | undefined, flags: FleetFlags) => {
      const { fleet } = await import('./action.ts');
      done(await fleet({ action, tenant, flags, signal }));
    });
};

const help = `
key prints a line TENANT KEY_ID KEY for the file that workers get as --keys and clients as --fleet-keys. Keep the file
secret: who has the key can run scripts as the tenant, and read its jobs in the queue. To change a key, give the workers a
file with the new line before the old one, start them again, and then the clients.

With --json the object is { "ok": true, "workers", "tenants": [{ "name", "waiting", "running", "kept" }] } of status, and
{ "ok": true, "line" } of key.

Examples:
  $ mustard-sandbox fleet key acme > keys
  $ mustard-sandbox fleet status --queue redis://queue:6379 --keys keys
  $ mustard-sandbox fleet status --watch --queue redis://queue:6379 --keys keys`;
