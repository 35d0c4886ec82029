import { setFlagsFromString } from 'node:v8';

/**
 * Flags that the client starts Node with, but that the sidecar's code needs only later. Each has the flag that resets
 * it, and says whether anything needs it again. The other flags have done their work once V8 has started.
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
 * Resets V8's flags while the sidecar starts. V8 uses the compiled code of Node's own modules only under the flags of
 * Node's build, which are the defaults. Under other flags it compiles each module again, and for the watchdog's thread
 * everything that Node is made of. That is a third of the processor time of a start. Some flags have a lasting effect:
 * the size of the stack, `gc()`, and that no text becomes code.
 */
export function forgetFlags(): void {
  for (const flag of flags) if (isGiven(flag)) setFlagsFromString(flag.forget);
}

let areSet = false;

/**
 * Sets the flags again: before the first pattern of a script, because a flag chooses V8's engine for patterns, and
 * before the next thread.
 */
export function setFlagsAgain(): void {
  if (areSet) return;
  areSet = true;
  for (const flag of flags) if (flag.isNeededAgain && isGiven(flag)) setFlagsFromString(flag.given);
}
