import type { Literal } from 'acorn';
import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import { methodCall, unwrap, type AnyNode } from '../syntax.ts';
import { needsV8 } from './regex.ts';
import { inputOf } from './strings.ts';

/**
 * Crossing to V8 takes longer than what is asked there: 25 µs and more, and most regular expressions take less than one.
 * So a loop over the lines of a file that asks V8 the same of one line after the other has the next lines asked with it:
 * 1, 2, 4 … 256, as long as enough of them are wanted. A site is one call in the script, with what was found ahead for it.
 *
 *     line.match(/\d+(?= ms)/)   →   __ms_lineMatch(__ms_sites["t1"] ?? __ms_site("t1", "exec", "\\d+(?= ms)", …), line)
 *
 * What is no line of the loop, or has characters beyond U+FFFF, is left to what the call would be without this.
 */
export const aheadRule: Rule = {
  id: 'ahead',
  on: ['CallExpression'],
  rewrite(node, rewriter) {
    if (!rewriter.facts.asksAhead || node.type !== 'CallExpression' || node.optional) return false;
    const call = methodCall(node);
    if (call === undefined || call.member.optional) return false;
    const plan = planOf(call.name, call.object, node.arguments, rewriter.facts);
    if (plan === undefined) return false;
    const { helper, kind, regex, pattern, text, extra } = plan;
    const site = rewriter.name();
    const { pattern: source, flags } = regex;
    if (!needsV8(source, flags)) return false;
    const name = JSON.stringify(site);
    const made = `${rewriter.helper('site')}(${name}, '${kind}', ${JSON.stringify(source)}, ${JSON.stringify(flags)}, 8, `;
    const parts: (string | AnyNode)[] = [
      `${rewriter.helper(helper)}(${rewriter.helper('sites')}[${name}] ?? ${made}`,
      pattern,
    ];
    if (extra !== undefined) parts.push(', ', extra);
    rewriter.write(node, ...parts, '), ', text, ')');
    return true;
  },
};

type Regex = NonNullable<Literal['regex']>;

interface Plan {
  helper: string;
  kind: string;
  regex: Regex;
  /** The literal, or the constant that is one. */
  pattern: AnyNode;
  text: AnyNode;
  /** A replacement. */
  extra?: AnyNode;
}

/** How a call is made ahead, if it can be: its pattern keeps no state from one text to the next. */
function planOf(name: string, object: AnyNode, args: readonly AnyNode[], { fixedRegexes }: Facts): Plan | undefined {
  const [first, second] = args;
  if (first === undefined || first.type === 'SpreadElement') return undefined;
  const regexOf = (node: AnyNode): Regex | undefined => {
    const inner = unwrap(node);
    const literal = inner.type === 'Identifier' ? fixedRegexes.get(inner.name) : inner;
    return literal?.type === 'Literal' && 'regex' in literal ? (literal.regex ?? undefined) : undefined;
  };
  if (name === 'exec' || name === 'test') {
    const regex = regexOf(object);
    if (regex === undefined || args.length !== 1 || /[gyd]/.test(regex.flags)) return undefined;
    return { helper: name === 'exec' ? 'lineExec' : 'lineTest', kind: name, regex, pattern: object, text: first };
  }
  const regex = regexOf(first);
  if (regex === undefined || /[yd]/.test(regex.flags)) return undefined;
  const isGlobal = regex.flags.includes('g');
  const common = { regex, pattern: first, text: object };
  if (args.length === 1) {
    if (name === 'split') return { ...common, helper: 'lineSplit', kind: 'split' };
    if (name !== 'match') return undefined;
    return isGlobal
      ? { ...common, helper: 'lineMatchAll', kind: 'match' }
      : { ...common, helper: 'lineMatch', kind: 'exec' };
  }
  if (name !== 'replace' && !(name === 'replaceAll' && isGlobal)) return undefined;
  if (args.length !== 2 || second?.type !== 'Literal' || typeof second.value !== 'string') return undefined;
  return { ...common, helper: 'lineReplace', kind: 'replace', extra: second };
}

export const aheadHelpers: Helper[] = [
  {
    name: 'askAhead',
    code: `const __ms_batch = { lines: [] };
const __ms_sites = {};
function __ms_site(name, kind, source, flags, least, pattern, extra) {
  const site = { kind, source, flags, least, pattern, extra: extra ?? '', lines: null, start: 0, next: 0, misses: 0, used: 0, step: 1, values: [] };
  if (name !== null) __ms_sites[name] = site;
  return site;
}
function __ms_askAhead(site, text) {
  const { lines } = __ms_batch;
  if (site.lines !== lines) {
    site.lines = lines;
    site.start = site.next = site.used = 0;
    site.misses = lines.length === 0 ? 4 : 0;
    site.values = [];
  }
  // What is no line four times in a row is looked for again after a while: to look for it takes as long as to ask.
  if (site.misses > 3 && ++site.misses < 64) return 0;
  const at = lines[site.next] === text ? site.next : lines.indexOf(text, site.next);
  if (at === -1) {
    site.misses = site.misses > 3 ? 4 : site.misses + 1;
    return 0;
  }
  site.misses = 0;
  if (at >= site.start + site.values.length) {
    const step = site.used * site.least >= site.values.length ? 2 * site.step : Math.floor(site.step / 2);
    site.step = Math.max(1, Math.min(step, 256, Math.floor(100000 / text.length)));
    const { kind, source, flags, extra } = site;
    const values = __ms_inV8('ahead', { kind, source, flags, extra, at, count: site.step, text });
    if (values === 0) {
      site.misses = 4;
      return 0;
    }
    site.values = values;
    site.start = at;
    site.used = 0;
  }
  site.used++;
  site.next = at + 1;
  return site.values[at - site.start];
}`,
  },
  {
    name: 'lineExec',
    code: (facts) => `function __ms_lineFound(found, text) {
  const match = found[0];
  match.index = found[1];
  match.input = ${inputOf(facts, 'text')};
  match.groups = found[2];
  return match;
}
function __ms_lineExec(site, given) {
  const text = typeof given === 'string' ? given : __ms_string(given);
  const found = __ms_askAhead(site, text);
  if (found === 0) return site.pattern.exec(text);
  return found === null ? null : __ms_lineFound(found, text);
}
function __ms_lineMatch(site, text) {
  if (typeof text !== 'string') return text.match(site.pattern);
  const found = __ms_askAhead(site, text);
  if (found === 0) return site.pattern.exec(text);
  return found === null ? null : __ms_lineFound(found, text);
}`,
  },
  {
    name: 'lineTest',
    code: `function __ms_lineTest(site, given) {
  const text = typeof given === 'string' ? given : __ms_string(given);
  const found = __ms_askAhead(site, text);
  return found === 0 ? site.pattern.test(text) : found;
}`,
  },
  {
    name: 'lineMatchAll',
    code: `function __ms_lineMatchAll(site, text) {
  if (typeof text !== 'string') return text.match(site.pattern);
  const found = __ms_askAhead(site, text);
  return found === 0 ? __ms_matchV8(text, site.pattern) : found;
}`,
  },
  {
    name: 'lineReplace',
    code: `function __ms_lineReplace(site, text) {
  if (typeof text !== 'string') return text.replace(site.pattern, site.extra);
  const made = __ms_askAhead(site, text);
  return made === 0 ? __ms_replaceV8(text, site.pattern, site.extra) : made;
}`,
  },
  {
    name: 'lineSplit',
    code: `function __ms_lineSplit(site, text) {
  if (typeof text !== 'string') return text.split(site.pattern);
  const parts = __ms_askAhead(site, text);
  return parts === 0 ? __ms_splitV8(text, site.pattern) : parts;
}`,
  },
];
