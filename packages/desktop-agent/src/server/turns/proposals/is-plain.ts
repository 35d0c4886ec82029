import type { Proposal } from '../../../shared/contract/index.ts';

/**
 * What installs or runs something, now or later, steers a model, does not fit, or cannot be looked at as a whole is a
 * person's to decide.
 */
export function isPlain({ dependencies, commands, problems, files, needsPerson = false }: Proposal): boolean {
  const isQuiet = files.every(({ hidden, runs }) => hidden === undefined && runs === undefined);
  return !needsPerson && isQuiet && dependencies.length + commands.length + (problems?.length ?? 0) === 0;
}
