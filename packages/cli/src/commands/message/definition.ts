import { Option } from 'commander';
import type { MessageFlags } from './action.ts';
import {
  collect,
  exitCodesHelp,
  withConfiguration,
  withOutput,
  withStore,
  type Definition,
} from '../command-context.ts';

export const defineMessage: Definition = (program, { signal, done }) => {
  const command = program
    .command('message')
    .description('Print a text and its attachments as the message that a model gets.')
    .argument('<text>', 'what the user writes, or - for stdin');
  withOutput(
    withConfiguration(withStore(command))
      .option('--attach <file>', 'file, or a quoted pattern such as "logs/**/*.log"', collect, [])
      .addOption(
        new Option('--mode <mode>', 'a model with tools, or one without')
          .choices(['local-agent', 'default-chat'])
          .default('local-agent'),
      )
      .option('--size-threshold <size>', 'size that becomes part of the message without a question (default: 512kb)')
      .addOption(
        new Option('--size-policy <policy>', 'what happens to larger attachments (default: ask)').choices([
          'ask',
          'allow',
          'truncate',
          'reject',
        ]),
      )
      .option('--truncate-to <size>', 'default-chat: size to cut each text to (default: half of the threshold)')
      .option('--no-scripting', 'local-agent: say that no scripts can run')
      .option('--no-gitignore', 'leave .gitignore alone'),
  )
    .addHelpText('after', help)
    .action(async (text: string, flags: MessageFlags) => {
      const { message } = await import('./action.ts');
      done(await message(text, flags, signal));
    });
};

const help = `
With local-agent each attachment is stored in the media folder of --root, as by attach, and a block before the text
names them; images are parts as well. With default-chat nothing is stored: texts are inlined, anything else is an
image or a file part. Over
--size-threshold (with local-agent only images count) the policy ask asks on the terminal: y attaches, t cuts the
texts, n cancels. Without a terminal, or with the text on stdin, it attaches, and says so.

Texts are printed as they are, images and files by their type and size. With --json the object is
  { "ok": true, "message": { "role", "content" }, "stored", "truncated", "totalBytes" }
in the shape of the AI SDK, with bytes in base64.

Examples:
  $ mustard-sandbox message 'What went wrong?' --attach server.log
  $ mustard-sandbox message 'What do these have in common?' --attach 'src/**/*.ts' --mode default-chat
  $ mustard-sandbox message - --attach server.log --mode default-chat --size-policy truncate --json < question.txt
${exitCodesHelp}`;
