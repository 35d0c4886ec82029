import type { Command } from 'commander';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { modelOf } from './model.ts';
import { powershellCompletion } from './powershell.ts';
import { zshCompletion } from './zsh.ts';
import type { Shell } from './definition.ts';
import { exitCodes } from '../../exit-code.ts';
import { writeLine } from '../../output.ts';
import type { Report } from '../../report.ts';

const scriptFor = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: powershellCompletion,
} as const;

/** The completion script is generated from `program`, so it always matches the existing options. */
export function completion(program: Command, shell: Shell): Report {
  const script = scriptFor[shell](modelOf(program));
  return {
    json: { ok: true, shell, script },
    print: () => writeLine(process.stdout, script),
    exitCode: exitCodes.done,
  };
}
