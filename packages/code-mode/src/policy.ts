import { isDeepStrictEqual } from 'node:util';
import type { BegunCall, DoneBefore, Policy, Ruling } from '@mustard-sandbox/runs';
import type { Budget, RememberedRule, Rule } from './options.ts';
import { isObject } from './schema/schema.ts';

interface Around {
  rules: () => readonly Rule[];
  budgets: readonly Budget[];
  remembered: () => readonly RememberedRule[];
  /**
   * Whether a person is asked about a call for which there is no rule; `undefined` for a function of code mode itself.
   */
  asks: (call: BegunCall) => boolean | undefined | Promise<boolean | undefined>;
}

/**
 * The decision about a call: the first rule of the host that matches, then what was remembered, then what the tool
 * says.
 */
export function policyOf({ rules, budgets, remembered, asks }: Around): Policy {
  return async (call, before) => {
    const asked = await asks(call);
    if (asked === undefined) return { action: 'allow' };
    const known = rules();
    const at = known.findIndex((rule) => isAbout(rule, call));
    const rule = known[at];
    const by = rule === undefined ? {} : { by: `rule ${at + 1}` };
    if (rule?.action === 'deny') return denied(call, rule, by);
    const spent = budgets.find((budget) => isSpent(budget, call, before));
    if (spent !== undefined) return overBudget(call, spent);
    if (rule?.action === 'allow') return { action: 'allow', ...by };
    if (rule === undefined && !asked) return { action: 'allow' };
    const isKept = [...remembered(), ...(before.rules as RememberedRule[])].some((each) => covers(each, call));
    if (isKept) return { action: 'allow', by: 'an approval that was remembered' };
    return { action: 'ask', ...by, rule: ruleToRemember(call, rule?.keep) };
  };
}

/** Whether a remembered rule covers a call. Values must be the same, and are not patterns. */
function covers(rule: RememberedRule, { tool, input }: BegunCall): boolean {
  if (rule.tool !== tool) return false;
  const plain = plainOf(input);
  if (rule.where === undefined) return isDeepStrictEqual(rule.input, plain);
  return Object.entries(rule.where).every(([path, value]) => isDeepStrictEqual(fieldOf(plain, path), value));
}

function ruleToRemember({ tool, input }: BegunCall, keep: readonly string[] | undefined): RememberedRule {
  const plain = plainOf(input);
  if (keep === undefined) return { tool, input: plain };
  return { tool, where: Object.fromEntries(keep.map((path) => [path, fieldOf(plain, path) ?? null])) };
}

/** The input in the form in which it is kept, with `null` for a missing value. */
function plainOf(input: unknown): unknown {
  return JSON.parse(JSON.stringify(input ?? null)) as unknown;
}

function isAbout({ tool, input }: Rule, call: BegunCall): boolean {
  if (!matches(tool, call.tool)) return false;
  return Object.entries(input ?? {}).every(([path, pattern]) => {
    const value = fieldOf(call.input, path);
    return typeof pattern === 'string' && typeof value === 'string' ? matches(pattern, value) : value === pattern;
  });
}

function fieldOf(value: unknown, path: string): unknown {
  let at: unknown = value;
  for (const key of path.split('.')) {
    if ((!isObject(at) && !Array.isArray(at)) || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/**
 * Whether a text matches a pattern in which `*` stands for any text. It takes one pass, because a regular expression
 * could take for ever.
 */
export function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > text.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

function isSpent({ tool, calls, bytes, cost }: Budget, call: BegunCall, before: DoneBefore): boolean {
  if (!matches(tool, call.tool)) return false;
  const done = before.calls.filter((each) => matches(tool, each.tool));
  const given = done.reduce((sum, { answerBytes }) => sum + answerBytes, 0);
  const spent = done.reduce((sum, each) => sum + each.cost, 0);
  return (
    (calls !== undefined && done.length >= calls) ||
    (bytes !== undefined && given >= bytes) ||
    (cost !== undefined && call.cost > 0 && spent + call.cost > cost)
  );
}

function denied({ tool }: BegunCall, { why }: Rule, by: { by?: string }): Ruling {
  const message = `${tool}() is not allowed here${why === undefined ? '.' : `: ${why}`}`;
  return { action: 'deny', code: 'capability_denied', message, ...by };
}

function overBudget(call: BegunCall, { tool, calls, bytes, cost }: Budget): Ruling {
  const most = [
    ...(calls === undefined ? [] : [`${calls} calls`]),
    ...(bytes === undefined ? [] : [`${bytes} bytes`]),
    ...(cost === undefined ? [] : [`a cost of ${cost}`]),
  ];
  const message = `${call.tool}(): the budget of this run for ${tool} is spent (${most.join(', ')}).`;
  return { action: 'deny', code: 'limit_exceeded', message, by: 'budget' };
}
