import { z } from 'zod';
import { problem, type ProblemReport } from '../../shared/contract/index.ts';
import { maxProblems } from './limits.ts';
import type { CheckerEnd } from './run-checker.ts';

type Reason = NonNullable<ProblemReport['unchecked']>['reason'];

/** The compiler of a cloned repository may write anything. Only an answer of this shape is accepted. */
const answer = z.union([
  z.strictObject({
    problems: z
      .array(
        z.strictObject({
          ...problem.shape,
          // The path must be in the app and have one line, because it is shown and given to a model.
          path: z
            .string()
            .min(1)
            .max(4096)
            .regex(/^(?![/~])(?!(?:.*\/)?\.\.(?:\/|$))[^\p{Cc}\\]+$/u),
          line: z.int().min(1),
          column: z.int().min(1),
          code: z.string().regex(/^TS\d{1,6}$/),
          message: z.string().max(2000),
        }),
      )
      .max(maxProblems),
    more: z.int().min(0).max(1_000_000),
  }),
  z.strictObject({ failed: z.string().max(2000) }),
]);

/** The report of a check that ended. */
export function reportOf(end: CheckerEnd, version: string, timeoutMs: number): ProblemReport {
  if (end.kind === 'timeout') return unchecked('timeout', `${timeoutMs / 1000} s`);
  if (end.kind === 'flooded') return unchecked('failed', `TypeScript ${version} wrote too much`);
  if (end.kind === 'died') {
    // Only bwrap itself writes such a line, before it starts any program of the app.
    const refusal = end.stderr.split('\n').find((line) => line.startsWith('bwrap: '));
    if (refusal !== undefined) return unchecked('no-jail', refusal);
    return unchecked('failed', `TypeScript ${version} ended with ${end.how}`);
  }
  const said = answer.safeParse(parsed(end.said));
  if (!said.success) return unchecked('failed', `TypeScript ${version} gave no valid answer`);
  if ('problems' in said.data) return { ...said.data, unchecked: null };
  if (said.data.failed.includes('unstable/sync')) return unchecked('unsupported', version);
  return unchecked('failed', `TypeScript ${version} failed: ${said.data.failed}`);
}

export function unchecked(reason: Reason, detail = ''): ProblemReport {
  return { problems: [], more: 0, unchecked: { reason, message: messages[reason](detail) } };
}

const messages: Record<Reason, (detail: string) => string> = {
  'no-typescript': () =>
    'There is no TypeScript in this app (node_modules/typescript), so it was not checked for problems. Install its ' +
    'dependencies, or add typescript to them.',
  'no-config': () => 'There is no tsconfig.json in this app, so it was not checked for problems.',
  'no-jail': (detail) =>
    `The TypeScript of this app is a program that came with it, and it cannot be confined here: ${detail} ` +
    'It runs only if you allow it. Node then lets it read, but it cannot write or start anything.',
  'no-jail-native': (version) =>
    `TypeScript ${version} of this app is a native program that came with it, and it cannot be confined here. ` +
    'It runs only if you allow it, and then with all of your rights: it could read, change and send any of your files.',
  unsupported: (version) =>
    `TypeScript ${version} of this app cannot be asked for problems. Versions 4 to 6 and 7.0 can; update it.`,
  timeout: (detail) => `TypeScript did not finish within ${detail} and was stopped.`,
  failed: (detail) => `The app could not be checked for problems: ${detail}.`,
};

/** Parses the last line only, because a compiler may have written others before it. */
function parsed(said: string): unknown {
  try {
    return JSON.parse(said.trimEnd().split('\n').at(-1) ?? '');
  } catch {
    return undefined;
  }
}
