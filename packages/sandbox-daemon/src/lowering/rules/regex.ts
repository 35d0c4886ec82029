import type { Facts } from '../facts.ts';
import type { Methods, Rule } from '../rule.ts';
import { groupsOf } from '../patterns.ts';
import { unwrap, type AnyNode } from '../syntax.ts';

/**
 * The engine's regular expressions are those of an automaton, with a syntax of their own. A pattern that it lacks, or
 * takes for another one, is run by V8: the literal becomes an object with the methods and the state of one.
 *
 *     /\d+(?= EUR)/g   →   __ms_regex("\\d+(?= EUR)", "g", [0, []])
 */
export const regexes: Rule = {
  id: 'regex',
  on: ['Literal', 'NewExpression', 'CallExpression'],
  rewrite(node, rewriter) {
    if (node.type === 'Literal') {
      if (!('regex' in node) || !node.regex) return false;
      const { pattern } = node.regex;
      // As `flags` and `toString` show them.
      const flags = [...node.regex.flags].toSorted().join('');
      if (needsV8(pattern, flags))
        rewriter.output.write(
          `${rewriter.helper('regex')}(${JSON.stringify(pattern)}, ${JSON.stringify(flags)}, ${knownGroups(pattern, flags)})`,
          node,
        );
      else if (flags !== node.regex.flags) rewriter.output.write(`/${pattern}/${flags}`, node);
      else return false;
      return true;
    }
    if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return false;
    if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp' || node.arguments.length === 0) return false;
    if (rewriter.facts.declared.has('RegExp')) return false;
    const helper = node.type === 'NewExpression' ? 'regexFrom' : 'regexOf';
    rewriter.output.write(`${rewriter.helper(helper)}(`, node);
    let separator = '';
    for (const argument of node.arguments) {
      rewriter.write(node, separator, argument);
      separator = ', ';
    }
    rewriter.output.write(')', node);
    return true;
  },
};

/**
 * The groups of a literal, so that they need not be asked for each time that it is met. What the parser lets through may
 * be newer than this V8, which then says so when the script comes there.
 */
function knownGroups(pattern: string, flags: string): string {
  try {
    return JSON.stringify(groupsOf(pattern, flags));
  } catch {
    return 'undefined';
  }
}

/** Whether the engine lacks this, or reads it in another way. Too often is slow, too seldom is an error. */
export function needsV8(pattern: string, flags: string): boolean {
  if (/[vdy]/.test(flags)) return true;
  // Line ends: the engine only knows \n.
  if (flags.includes('m') && /(?<!\\)[$^]/.test(withoutClasses(pattern))) return true;
  const features =
    /\(\?<?[=!]|\\[1-9]|\\k<|\(\?[a-z]*-?[a-z]*:|\[\^?\]|\\[aAceghijlmoqyzCEFGHIJKLMNOQRTUVXYZ]|\\0|\\u\{/;
  if (
    flags.includes('u')
      ? features.test(pattern.replace(/\\u\{/g, '')) && !pattern.startsWith('(?:')
      : features.test(pattern.replace(/\(\?:/g, ''))
  ) {
    return true;
  }
  // A brace that counts nothing, a bracket in brackets, a class in a range.
  if (/(?<!\\|\\[up])\{(?!\d+(?:,\d*)?\})/.test(pattern.replace(/\\[pPux]\{[^}]*\}/g, ''))) return true;
  if (classesIn(pattern).some(isForeignClass)) return true;
  return hasRepeatedGroup(pattern);
}

/** What the engine takes for a class in a class, for what two have in common, or for a range of classes. */
function isForeignClass(text: string): boolean {
  const inner = text.slice(1);
  return /(?<!\\)\[|&&|--|~~/.test(inner) || /\\[dwsDWS]-(?!\])/.test(text) || /.-\\[dwsDWS]/.test(inner);
}

/** Escaped characters and classes of characters: a bracket that is escaped begins none. */
const escapesAndClasses = /\\.|\[(?:\\.|[^\]\\])*\]/gs;

function classesIn(pattern: string): string[] {
  return (pattern.match(escapesAndClasses) ?? []).filter((part) => part.startsWith('['));
}

function withoutClasses(pattern: string): string {
  return pattern.replace(escapesAndClasses, (part) => (part.startsWith('[') ? '' : part));
}

/** A group that captures, inside of one that repeats: JavaScript forgets it with each turn, the engine does not. */
function hasRepeatedGroup(pattern: string): boolean {
  const open: { captures: boolean; start?: number }[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at];
    if (letter === '\\') at++;
    else if (letter === '[') {
      while (at < pattern.length && pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1;
    } else if (letter === '(') {
      const captures = pattern[at + 1] !== '?' || pattern[at + 2] === '<';
      open.push({ captures: false });
      // It counts for all groups around it, not for itself.
      if (captures) for (const group of open.slice(0, -1)) group.captures = true;
      if (captures && open.length > 0) (open.at(-1) as { start: number }).start = at;
    } else if (letter === ')') {
      const group = open.pop();
      const isEmptyAble = group?.start !== undefined && /[*?|]$/.test(pattern.slice(group.start, at));
      if ((group?.captures === true || isEmptyAble) && /^(?:[*+]|\{\d+,|\{(?:[2-9]|1\d)\})/.test(pattern.slice(at + 1)))
        return true;
    }
  }
  return false;
}

/** Methods of texts that take a pattern, in scripts where one may be V8's. */
export const regexMethods: Methods = {
  id: 'regex-methods',
  names: new Set(['match', 'search', 'split', 'replace', 'replaceAll', 'matchAll']),
  helperFor: ({ name, args }, facts) => {
    if (!facts.hasV8Regexes || args.length === 0 || args[0]?.type === 'SpreadElement') return undefined;
    const pattern = unwrap(args[0] as AnyNode);
    if (pattern.type === 'Literal' && typeof pattern.value === 'string') return undefined;
    if (
      pattern.type === 'Literal' &&
      'regex' in pattern &&
      pattern.regex &&
      !needsV8(pattern.regex.pattern, pattern.regex.flags)
    ) {
      return undefined;
    }
    return `${name}V8`;
  },
};

/** Whether a literal of this kind, or `RegExp`, stands somewhere. */
export function isV8Regex(node: AnyNode): boolean {
  if (node.type === 'Identifier') return node.name === 'RegExp';
  return (
    node.type === 'Literal' &&
    'regex' in node &&
    Boolean(node.regex) &&
    needsV8(node.regex?.pattern ?? '', node.regex?.flags ?? '')
  );
}

/** `while ((m = re.exec(text)))` and `re.test(text)` are linear when all matches are looked for at once. */
export const execMethods: Methods = {
  id: 'exec',
  names: new Set(['exec']),
  helperFor: ({ object, args }, facts: Facts) =>
    args.length === 1 && facts.hasLoop && mayGoOn(object, facts) ? 'exec' : undefined,
};

/** Not where the source shows that each search begins at the start. */
function mayGoOn(regex: AnyNode, { fixedRegexes }: Facts): boolean {
  const inner = unwrap(regex);
  const literal = inner.type === 'Identifier' ? fixedRegexes.get(inner.name) : inner;
  return literal?.type !== 'Literal' || !('regex' in literal) || /g/.test(literal.regex?.flags ?? '');
}
