import { Argument } from 'commander';
import { withOutput, type Definition } from '../command-context.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

export const defineCompletion: Definition = (program, { done }) => {
  const command = program
    .command('completion')
    .description('Print a script that teaches a shell to complete this command.')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells));
  withOutput(command)
    .addHelpText('after', help)
    .action(async (shell: Shell) => {
      const { completion } = await import('./action.ts');
      done(completion(program, shell));
    });
};

const help = `
Completes commands, options, their values where they are known, and files and folders where one is asked for.
With --json the object is { "ok": true, "shell", "script" }.

Examples:
  $ source <(mustard-sandbox completion bash)                                       # in ~/.bashrc
  $ source <(mustard-sandbox completion zsh)                                        # in ~/.zshrc, after compinit
  $ mustard-sandbox completion fish > ~/.config/fish/completions/mustard-sandbox.fish
  $ mustard-sandbox completion powershell | Out-String | Invoke-Expression          # in $PROFILE`;
