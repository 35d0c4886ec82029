// Everything that needs the parser. It is a bundle of its own, because most scripts run without it.
import { Buffer } from 'node:buffer';
import { parse, type Options, type Program as Tree } from 'acorn';
import type { Diagnostic, SourceLocation } from '@mustard-sandbox/protocol';
import { codeFrame, locate, syntaxErrorOf } from '../source-location.ts';
import { withFreshBindings } from './fresh-bindings.ts';
import type { Program, Read } from './program.ts';
import { refuse, Refusal } from './refusals.ts';
import { withResult } from './result.ts';
import { isFunction, walk } from './syntax.ts';
import { eraseTypes } from './types.ts';

export type { Tree };

/** The functions of this bundle. */
export interface Reading {
  readScript(source: string): Read;
  treeOf(program: Program): Tree | undefined;
  freshBindings(program: Program): Program;
}

export const parserOptions: Options = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowAwaitOutsideFunction: true,
  allowReturnOutsideFunction: true,
  // These statements are refused later, by name.
  allowImportExportEverywhere: true,
  allowHashBang: true,
  preserveParens: true,
};

type ParserError = SyntaxError & { pos: number };

const trees = new WeakMap<Program, Tree>();

/** The program of a script, or what is wrong with it. */
export function readScript(source: string): Read {
  // JavaScript would read the fence as a template with a template as its tag.
  if (/^\s*```/.test(source)) {
    const start = source.indexOf('`');
    return {
      diagnostics: [refused(new Refusal('the script begins with a Markdown fence', { start, end: start + 3 }), source)],
    };
  }
  try {
    const { tree, text } = parseEither(source);
    refuse(tree, source);
    const program = withResult(source, text, tree, /\b(?:async|await)\b/.test(text) && isWaiting(tree));
    trees.set(program, tree);
    return program;
  } catch (error) {
    if (error instanceof Refusal) return { diagnostics: [refused(error, source)] };
    if (error instanceof SyntaxError) return { diagnostics: [broken(error as ParserError, source)] };
    throw error;
  }
}

/** Call it only for a program of {@link readScript}, or one whose code is its source. */
export function treeOf(program: Program): Tree | undefined {
  const known = trees.get(program);
  if (known !== undefined) return known;
  try {
    const tree = parse(program.source, parserOptions);
    trees.set(program, tree);
    return tree;
  } catch {
    return undefined;
  }
}

/** The program for QuickJS: see {@link withFreshBindings}. */
export function freshBindings(program: Program): Program {
  let tree: Tree;
  try {
    tree = parse(program.code, parserOptions);
  } catch {
    // The compiler of the engine will report what is wrong.
    return program;
  }
  return withFreshBindings(program, tree);
}

/** Reads the script as TypeScript only if it is not JavaScript, because `f<T>(x)` is two comparisons in JavaScript. */
function parseEither(source: string): { tree: Tree; text: string } {
  try {
    return { tree: parse(source, parserOptions), text: source };
  } catch (error) {
    let text: string;
    try {
      text = eraseTypes(source, parserOptions);
    } catch (typedError) {
      if (typedError instanceof Refusal) throw typedError;
      // The parse that gets further is more likely the one that was meant.
      throw offsetOf(typedError) > offsetOf(error) ? withTypes(typedError) : error;
    }
    return { tree: parse(text, parserOptions), text };
  }
}

function offsetOf(error: unknown): number {
  return error instanceof SyntaxError ? (error as ParserError).pos : -1;
}

const typed = new WeakSet<object>();

/** Marks an error as one of TypeScript, because V8 would stop at the first type. */
function withTypes(error: unknown): unknown {
  typed.add(error as object);
  return error;
}

/** Whether the script awaits promises. */
function isWaiting(tree: Tree): boolean {
  let found = false;
  walk(
    tree,
    (node) => {
      if (node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await)) found = true;
      else if (isFunction(node) && node.async) found = true;
    },
    () => found,
  );
  return found;
}

function refused({ message, node, about }: Refusal, source: string): Diagnostic {
  return { code: 'unsupported_syntax', message, ...about, ...shown(source, locationOf(source, node.start, node.end)) };
}

/**
 * The diagnostic of a script that does not parse. It has V8's words, because models know them, and V8 reports where a
 * mistake begins and ends.
 */
function broken(error: ParserError, source: string): Diagnostic {
  const found = typed.has(error) ? undefined : syntaxErrorOf(source);
  if (found !== undefined) return { code: 'parse_error', message: found.message, ...shown(source, found.location) };
  // acorn puts the position at the end of the message.
  const message = error.message.replace(/ \(\d+:\d+\)$/, '');
  return { code: 'parse_error', message, ...shown(source, locationOf(source, error.pos, error.pos + 1)) };
}

function locationOf(source: string, start: number, end: number): SourceLocation {
  const bytes = { start: Buffer.byteLength(source.slice(0, start)), end: Buffer.byteLength(source.slice(0, end)) };
  return locate(source, bytes, 'statement');
}

function shown(source: string, location: SourceLocation): { location: SourceLocation; frame: string } {
  return { location, frame: codeFrame(source, location) };
}
