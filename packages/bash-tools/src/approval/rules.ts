import * as z from 'zod';
import { simpleCommandsOf, wordsOf } from './parse.ts';

const actions = ['allow', 'ask', 'deny'] as const;
const actionSchema = z.enum(actions, `must be one of ${actions.join(', ')}`);

const ruleSchema = z.strictObject({
  /** The first words of a command, such as `git status`. */
  prefix: z
    .string()
    .refine(
      (prefix) => simpleCommandsOf(prefix)?.length === 1 && !prefix.includes('\n'),
      'must be words of one command',
    ),
  action: actionSchema,
});

/** Which commands run without a question, as a zod schema. */
export const approvalSchema = z.strictObject({
  /** What happens to a command that no rule allows or denies. Default: a person is asked. */
  otherwise: actionSchema.default('ask'),
  /** Rules for commands by their first words, in any order. */
  rules: z.array(ruleSchema).default([]),
});

/** Which commands run without a question, and which do not run. */
export type ApprovalOptions = z.input<typeof approvalSchema>;
export type Approval = z.output<typeof approvalSchema>;
/** What happens to a command. */
export type ApprovalAction = (typeof actions)[number];

/**
 * The decision of the rules about a command line. `allow` needs a rule for each command in it and only plain words,
 * because a rule never allows more than its words say. `deny` finds the words of a rule in a row anywhere, because one
 * command may follow another, as in `xargs rm`. If several rules match one command, the strictest counts.
 */
export function actionFor({ otherwise, rules }: Approval, command: string): ApprovalAction {
  const words = wordsOf(command);
  if (rules.some(({ prefix, action }) => action === 'deny' && holds(words, wordsOf(prefix)))) return 'deny';
  // With such rules the outcome does not depend on the command.
  if (rules.every(({ action }) => action === otherwise)) return otherwise;
  const commands = simpleCommandsOf(command);
  // Only a person may allow a command line that is not understood.
  if (commands === undefined) return otherwise === 'deny' ? 'deny' : 'ask';
  if (commands.length === 0) return otherwise;
  return strictest(commands.map((words) => actionForWords(rules, words) ?? otherwise));
}

function actionForWords(rules: Approval['rules'], words: readonly string[]): ApprovalAction | undefined {
  const matching = rules.filter(({ prefix }) => {
    const wanted = simpleCommandsOf(prefix)?.[0] ?? [];
    return wanted.every((word, index) => words[index] === word);
  });
  return matching.length === 0 ? undefined : strictest(matching.map(({ action }) => action));
}

function strictest(found: readonly ApprovalAction[]): ApprovalAction {
  if (found.includes('deny')) return 'deny';
  return found.includes('ask') ? 'ask' : 'allow';
}

function holds(words: readonly string[], [first, ...rest]: readonly string[]): boolean {
  return words.some((word, at) => {
    // `/bin/rm` is `rm`.
    const isFirst = word === first || word.endsWith(`/${first}`);
    return isFirst && rest.every((wanted, index) => words[at + 1 + index] === wanted);
  });
}
