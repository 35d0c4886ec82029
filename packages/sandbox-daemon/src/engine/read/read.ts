import type { Diagnostic } from '../../protocol/methods.ts';
import type { Positions } from './positions.ts';
import type { Reading, Tree } from './reading.ts';

/** A script that was read: what an engine compiles, and how its places lead back to the script. */
export interface Program {
  /** As the script was written. */
  source: string;
  /** What the engine compiles: the script without types, and with its result as the value of the program. */
  code: string;
  /** Leads from places in `code` to places in `source`; absent where both are the same. */
  positions?: Positions;
  /** Whether it has `await` or an async function. Then host functions give promises. */
  waits: boolean;
}

/** A program, or why there is none. */
export type Read = Program | { diagnostics: Diagnostic[] };

/** What has to be found by the syntax tree: all other scripts are compiled as they are. */
const needsTree = /^\s*```|\b(?:async|await|return|import|export|eval|Function)\b/;

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
