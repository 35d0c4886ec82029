import type { Diagnostic } from '@mustard-sandbox/protocol';
import type { Program, Read } from './program.ts';
import type { Reading, Tree } from './reading.ts';

/** What has to be found by the syntax tree: all other scripts are compiled as they are. */
const needsTree = /^\s*```|\b(?:async|await|return|import|export|eval|Function)\b/;

/** What `continue` would share between two turns in QuickJS; functions in the loop are looked for in the syntax tree. */
const needsFreshBindings = /\bcontinue\b/;
const loopWithLet = /\bfor\s*\(\s*let\b/;

let loaded: Reading | undefined;
let load: (() => Reading) | undefined;

/** Says how the parser is loaded, once a script needs one: a file of its own, because most do without. */
export function loadReadingBy(loader: () => Reading): void {
  load = loader;
}

function reading(): Reading {
  if (load === undefined) throw new Error('Nobody said how the parser is loaded.');
  return (loaded ??= load());
}

/** Reads a script. One that shows no need of it is not parsed: the compiler of the engine will say what is wrong. */
export function read(source: string): Read {
  return needsTree.test(source) ? reading().readScript(source) : { source, code: source, waits: false };
}

/** Reads a script that the compiler of the engine refused: it may be TypeScript, which is what it is without its types. */
export function readTyped(source: string): Read {
  return reading().readScript(source);
}

/** What is wrong with a script that the compiler of the engine refused; empty where nothing is known to be. */
export function diagnose(source: string): Diagnostic[] {
  const result = reading().readScript(source);
  return 'diagnostics' in result ? result.diagnostics : [];
}

/** The syntax tree of the script without its types; `undefined` where it does not parse. Its places are those of the source. */
export function treeOf(program: Program): Tree | undefined {
  return reading().treeOf(program);
}

/** The program as QuickJS has to have it, for what it does wrong. */
export function forQuickJS(program: Program): Program {
  const { code } = program;
  return needsFreshBindings.test(code) && loopWithLet.test(code) ? reading().freshBindings(program) : program;
}
