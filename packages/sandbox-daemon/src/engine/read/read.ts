import type { Diagnostic } from '@mustard-sandbox/protocol';
import type { Program, Read } from './program.ts';
import type { Reading, Tree } from './reading.ts';

/** Only a script with one of these must be parsed. All others are compiled unchanged. */
const needsTree = /^\s*```|\b(?:async|await|return|import|export|eval|Function)\b/;

/**
 * In QuickJS only a `continue` can share variables between turns. Whether the loop makes functions needs the syntax
 * tree.
 */
const needsFreshBindings = /\bcontinue\b/;
const loopWithLet = /\bfor\s*\(\s*let\b/;

let loaded: Reading | undefined;
let load: (() => Reading) | undefined;

/**
 * Sets how the parser is loaded when a script needs it. The parser is a file of its own, because most scripts do not
 * need it.
 */
export function loadReadingBy(loader: () => Reading): void {
  load = loader;
}

function reading(): Reading {
  if (load === undefined) throw new Error('No loader for the parser was set.');
  return (loaded ??= load());
}

/**
 * Reads a script. It is parsed only if its text requires that; otherwise the compiler of the engine reports what is
 * wrong.
 */
export function read(source: string): Read {
  return needsTree.test(source) ? reading().readScript(source) : { source, code: source, waits: false };
}

/**
 * Reads a script that the compiler of the engine refused. It may be TypeScript, and then the program is the script
 * without types.
 */
export function readTyped(source: string): Read {
  return reading().readScript(source);
}

/** What is wrong with a script that the compiler of the engine refused. Empty when no problem is found. */
export function diagnose(source: string): Diagnostic[] {
  const result = reading().readScript(source);
  return 'diagnostics' in result ? result.diagnostics : [];
}

/**
 * The syntax tree of the script without its types; `undefined` when it does not parse. Its places are those of the
 * source.
 */
export function treeOf(program: Program): Tree | undefined {
  return reading().treeOf(program);
}

/** The program for QuickJS, with workarounds for what QuickJS does wrong. */
export function forQuickJS(program: Program): Program {
  const { code } = program;
  return needsFreshBindings.test(code) && loopWithLet.test(code) ? reading().freshBindings(program) : program;
}
