import type { Property } from 'acorn';
import type { Calls, ToolCall } from './calls.ts';
import type { Diagnostic } from './compiler.ts';
import { literalOf, notKnown } from './literal.ts';
import type { Finding, Literal, Place } from './messages.ts';
import type { Node } from './tree.ts';

/** A namespace has no such member, or a name does not exist. */
const unknownMember = new Set([2339, 2551]);
const unknownName = new Set([2304, 2552]);
/** A call has too many or too few arguments. */
const wrongCount = new Set([2554, 2555]);
/** An argument lacks a field, has an unknown field, or has a wrong type. */
const wrongShape = new Set([2739, 2740, 2741, 2353, 2561, 2345]);
const wrongType = new Set([2322, 2345, 2820]);

/** The problems with calls of tools. What TypeScript reports about other code is left out. */
export function findingsOf(
  diagnostics: readonly Diagnostic[],
  calls: Calls,
): { findings: Finding[]; literals: Literal[] } {
  const literals = calls.all.flatMap((call) => literalIn(call, calls));
  const found = diagnostics.map((diagnostic) => ({ diagnostic, ...aboutCall(diagnostic, calls) }));
  // In a script that uses values against their types, types cannot be trusted.
  const areTypesRight = found.every(({ call }) => call !== undefined);
  const findings = found.flatMap(({ diagnostic: { message, at }, call, isSure, needsTypes }) => {
    if (call === undefined) return [];
    return [
      {
        tool: call.tool,
        ...placeIn(calls.plain, at),
        message,
        isSure: isSure === true && (areTypesRight || needsTypes !== true),
      },
    ];
  });
  return { findings, literals };
}

interface About {
  call?: ToolCall;
  isSure?: boolean;
  needsTypes?: boolean;
}

/** The call that a diagnostic is about, and whether the problem surely ends the script. */
function aboutCall({ code, at }: Diagnostic, { all, names, changed }: Calls): About {
  for (const call of all) {
    const { node, tool, isReached, isAwaited } = call;
    const [space = ''] = tool.split('.');
    const { callee, arguments: args } = node;
    if (callee.type !== 'MemberExpression') continue;
    if (unknownMember.has(code) && at === callee.property.start) {
      return { call, isSure: isReached && !changed.has(space) };
    }
    if (unknownName.has(code) && at === callee.object.start) {
      // It may be a global that TypeScript does not know, or one that the script makes.
      return code === 2552 && names.usesOf(space).length === 1 ? { call, isSure: isReached } : {};
    }
    if (wrongCount.has(code) && at >= callee.start && at <= node.end && isOwnCount(call, at)) {
      return { call, isSure: isAwaited && !args.some(({ type }) => type === 'SpreadElement') };
    }
    const [argument] = args as Node[];
    if (argument === undefined || at < argument.start || at >= argument.end) continue;
    const part = partAt(argument, at);
    if (part === undefined) continue;
    if (wrongShape.has(code) && part.type === 'ObjectExpression' && !hasSpread(part)) {
      return { call, isSure: isAwaited, needsTypes: true };
    }
    if (wrongType.has(code) || wrongShape.has(code)) {
      return { call, isSure: isAwaited && literalOf(part, names) !== notKnown, needsTypes: true };
    }
  }
  return {};
}

/**
 * Whether the wrong number of arguments belongs to this call. TypeScript reports a missing argument at the name of the
 * function, and an extra one at that argument.
 */
function isOwnCount({ node: { callee, arguments: args } }: ToolCall, at: number): boolean {
  return (callee.type === 'MemberExpression' && at === callee.property.start) || args.some(({ start }) => start === at);
}

/** The part of an argument at a place, reached through fields and items only. */
function partAt(argument: Node, at: number): Node | undefined {
  if (argument.start === at) return argument;
  if (argument.type === 'ObjectExpression') {
    const field = argument.properties.find(({ start, end }) => start <= at && at < end) as
      (Property & Node) | undefined;
    if (field?.type !== 'Property') return undefined;
    // TypeScript reports a field of a wrong type at its name.
    return field.key.start === at ? field.value : partAt(field.value, at);
  }
  if (argument.type !== 'ArrayExpression') return undefined;
  const item = argument.elements.find((each) => each !== null && each.start <= at && at < each.end) as Node | undefined;
  return item && partAt(item, at);
}

function hasSpread(part: Node): boolean {
  return part.type === 'ObjectExpression' && part.properties.some(({ type }) => type === 'SpreadElement');
}

function literalIn({ node, tool, isAwaited }: ToolCall, { plain, names }: Calls): Literal[] {
  if (node.arguments.length !== 1) return [];
  const value = literalOf(node.arguments[0] as Node, names);
  return value === notKnown
    ? []
    : [{ tool, ...placeIn(plain, node.start), end: placeIn(plain, node.end), value, isSure: isAwaited }];
}

function placeIn(script: string, at: number): Place {
  const before = script.slice(0, at).split(/\r\n|[\n\r\u2028\u2029]/);
  return { line: before.length, column: (before.at(-1) as string).length + 1 };
}
