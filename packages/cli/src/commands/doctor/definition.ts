import type { DoctorFlags } from './action.ts';
import { withConfiguration, withOutput, type Definition } from '../command-context.ts';

export const defineDoctor: Definition = (program, { version, signal, done }) => {
  const command = program
    .command('doctor')
    .description('Check the installation: platform, engine, and a round trip of one script.')
    .option('--stress', 'also try to hurt the host with scripts that hang, crash and exhaust, for a few seconds');
  withOutput(withConfiguration(command))
    .addHelpText('after', help)
    .action(async (flags: DoctorFlags) => {
      const { doctor } = await import('./action.ts');
      done(await doctor(version, flags, signal));
    });
};

const help = `
Exits with 0 when a script ran, and with 4 and the reason when none could. With --stress it exits with 4 as well
when one of the attempts to hurt the host was not contained. With --quiet it prints only what is wrong.

Examples:
  $ mustard-sandbox doctor
  $ mustard-sandbox doctor --stress
  $ mustard-sandbox doctor --json`;
