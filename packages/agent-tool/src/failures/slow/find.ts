import type { AnyNode } from 'acorn';
import { patterns } from './patterns.ts';
import { lineOf, type Program } from '../program.ts';
import { slowIdioms, type SlowIdiom } from './idioms.ts';
import { textVariables } from './text-variables.ts';

export interface FoundIdiom {
  idiom: SlowIdiom;
  line: number;
}

/**
 * Slow idioms in a script, the costliest first. Each is listed once, with its first line. This cannot know how often the
 * code ran or how much data it had, so an idiom may or may not be the cause.
 *
 * @param within lines to prefer: the function that was running
 */
export function findSlowIdioms(program: Program, within?: { line: number; endLine: number }): FoundIdiom[] {
  const facts = { texts: textVariables(program) };
  const isInside = ({ line }: { line: number }): boolean =>
    within === undefined || (line >= within.line && line <= within.endLine);
  const found = slowIdioms.flatMap((idiom) => {
    const places = program.visits
      .filter((visit) => patterns[idiom.id](visit, facts))
      .map(({ node }) => ({ idiom, line: lineOf(markOf(node)) }));
    return places.find(isInside) ?? places[0] ?? [];
  });
  return [...found.filter(isInside), ...found.filter((each) => !isInside(each))];
}

/** In a chain over several lines the name of the method, not where the chain began. */
function markOf(node: AnyNode): AnyNode {
  const isMethod = node.type === 'CallExpression' && node.callee.type === 'MemberExpression';
  return isMethod ? (node.callee as { property: AnyNode }).property : node;
}
