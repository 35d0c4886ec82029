import { setFlagsFromString } from 'node:v8';

/**
 * Flags that the client starts Node with, and that code of the sidecar depends on only later: what has V8 forget them, and
 * whether anything needs them again. The others have done their work once V8 has started.
 */
const flags = [
  { given: '--stack-size=', forget: '--stack-size=984', isNeededAgain: false },
  { given: '--expose-gc', forget: '--no-expose-gc', isNeededAgain: true },
  {
    given: '--disallow-code-generation-from-strings',
    forget: '--no-disallow-code-generation-from-strings',
    isNeededAgain: true,
  },
  {
    given: '--enable-experimental-regexp-engine-on-excessive-backtracks',
    forget: '--no-enable-experimental-regexp-engine-on-excessive-backtracks',
    isNeededAgain: true,
  },
];

const isGiven = ({ given }: (typeof flags)[number]): boolean => process.execArgv.some((flag) => flag.startsWith(given));

/**
 * Has V8 forget its flags while the sidecar starts. V8 takes Node's own modules as the build of Node has compiled them only
 * under the flags of that build, which are none; under others it compiles each of them anew, and for the watchdog's thread
 * all that Node is made of: a third of the processor time of a start. What the flags did when V8 started, stays: the size
 * of the stack, `gc()`, and that no text becomes code.
 */
export function forgetFlags(): void {
  for (const flag of flags) if (isGiven(flag)) setFlagsFromString(flag.forget);
}

let areSet = false;

/** Sets them again: before the first pattern of a script, for which V8 has an engine, and before the next thread. */
export function setFlagsAgain(): void {
  if (areSet) return;
  areSet = true;
  for (const flag of flags) if (flag.isNeededAgain && isGiven(flag)) setFlagsFromString(flag.given);
}
