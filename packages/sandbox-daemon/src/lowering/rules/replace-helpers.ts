import type { Facts } from '../facts.ts';
import type { Helper } from '../helper.ts';

/**
 * Whether a function that `replace` calls may see the whole text, its argument number `position`. The engine copies a
 * text wherever it is put: 450 KB with 20,000 matches took longer than any deadline.
 */
export function seesText({ references, hasOpenParameters }: Facts, name: string, position: number | string): string {
  return references.has('arguments') || hasOpenParameters ? 'true' : `!(${name}.length <= ${position})`;
}

export const replaceHelpers: Helper[] = [
  {
    name: 'expand',
    code: `function __ms_expand(replacement, found, at, text) {
  const parts = replacement.split('$');
  let out = parts[0];
  for (let i = 1; i < parts.length; i++) {
    const part = parts[i];
    const first = part[0];
    if (first === '&') out += found + part.slice(1);
    else if (first === '\`') out += text.slice(0, at) + part.slice(1);
    else if (first === "'") out += text.slice(at + found.length) + part.slice(1);
    else if (part === '' && i + 1 < parts.length) { i++; out += '$' + parts[i]; }
    else out += '$' + part;
  }
  return out;
}`,
  },
  {
    name: 'replaceText',
    code: (facts) => `function __ms_replaceText(text, pattern, replacement, isAll) {
  const isCall = typeof replacement === 'function';
  const template = isCall ? '' : __ms_string(replacement);
  if (isAll && pattern !== '' && !isCall && !template.includes('$')) return text.split(pattern).join(template);
  if (isAll && pattern !== '') {
    const parts = text.split(pattern);
    const made = [parts[0]];
    let at = parts[0].length;
    for (let i = 1; i < parts.length; i++) {
      made.push(isCall ? __ms_text(${seesText(facts, 'replacement', 2)} ? replacement(pattern, at, text) : replacement(pattern, at)) : __ms_expand(template, pattern, at, text), parts[i]);
      at += pattern.length + parts[i].length;
    }
    return made.join('');
  }
  if (isAll) {
    const made = [];
    const letters = text.split('');
    for (let at = 0; at <= letters.length; at++) {
      made.push(isCall ? __ms_text(${seesText(facts, 'replacement', 2)} ? replacement('', at, text) : replacement('', at)) : __ms_expand(template, '', at, text));
      if (at < letters.length) made.push(letters[at]);
    }
    return made.join('');
  }
  const at = text.indexOf(pattern);
  if (at === -1) return text;
  const made = isCall ? __ms_text(${seesText(facts, 'replacement', 2)} ? replacement(pattern, at, text) : replacement(pattern, at)) : __ms_expand(template, pattern, at, text);
  return text.slice(0, at) + made + text.slice(at + pattern.length);
}`,
  },
  {
    // The engine copies a text wherever it is put: without it in each match, 1 MB with 2,000 matches fits into the heap.
    name: 'replacePattern',
    code: (facts) => `function __ms_replacePattern(text, pattern, replacement, seesAll = false) {
  const isGlobal = pattern.flags.includes('g');
  if (isGlobal) pattern.lastIndex = 0;
  if (isGlobal && !seesAll) {
    const made = __ms_replaceEach(__ms_cut(text, pattern), replacement);
    if (made !== null) return made;
  }
  const first = isGlobal ? null : pattern.exec(text);
  const matches = isGlobal ? __ms_matches(text, pattern, '') : first === null ? [] : [first];
  if (matches.length === 0) return text;
  const parts = [];
  const pieces = matches.pieces ?? (isGlobal && matches.length > 20 ? __ms_between(text, matches) : undefined);
  let at = 0;
  for (let i = 0; i < matches.length; i++) {
    const match = matches[i];
    const args = [...match, match.index];
    if (seesAll || ${seesText(facts, 'replacement', 'args.length')}) {
      args.push(text);
      if (match.groups !== undefined) args.push(match.groups);
    }
    parts.push(pieces === undefined ? text.slice(at, match.index) : pieces[i], __ms_text(replacement(...args)));
    at = match.index + match[0].length;
  }
  parts.push(pieces === undefined ? text.slice(at) : pieces[matches.length]);
  return parts.join('');
}
function __ms_replaceEach(cut, replacement) {
  if (cut === null || cut.names.length > 0 || cut.groupCount > 3) return null;
  const { groupCount, parts } = cut;
  if (${seesText(facts, 'replacement', 'groupCount + 2')}) return null;
  const made = [parts[0]];
  const step = groupCount + 2;
  for (let i = 1; i < parts.length; i += step) if (parts[i] === undefined || (parts[i] === '' && !cut.isSure)) return null;
  let at = parts[0].length;
  for (let i = 1; i < parts.length; i += step) {
    const whole = parts[i];
    const value =
      groupCount === 0 ? replacement(whole, at)
      : groupCount === 1 ? replacement(whole, parts[i + 1] ?? undefined, at)
      : groupCount === 2 ? replacement(whole, parts[i + 1] ?? undefined, parts[i + 2] ?? undefined, at)
      : replacement(whole, parts[i + 1] ?? undefined, parts[i + 2] ?? undefined, parts[i + 3] ?? undefined, at);
    const rest = parts[i + groupCount + 1];
    made.push(typeof value === 'string' ? value : __ms_text(value), rest);
    at += whole.length + rest.length;
  }
  return made.join('');
}
function __ms_between(text, matches) {
  const pieces = [];
  let rest = text;
  let cut = 0;
  let at = 0;
  for (const match of matches) {
    if (at - cut > 4096) { rest = rest.slice(at - cut); cut = at; }
    pieces.push(rest.slice(at - cut, match.index - cut));
    at = match.index + match[0].length;
  }
  pieces.push(rest.slice(at - cut));
  return pieces;
}`,
  },
  {
    // The engine reads `$10` as the first group where there are fewer than ten, but only in places.
    name: 'expandMatch',
    code: `function __ms_expandMatch(template, args) {
  const hasGroups = typeof args[args.length - 1] === 'object';
  const count = args.length - (hasGroups ? 4 : 3);
  const at = args[count + 1];
  const text = args[count + 2];
  const parts = template.split('$');
  let out = parts[0];
  for (let i = 1; i < parts.length; i++) {
    const part = parts[i];
    const first = part[0];
    const one = first >= '0' && first <= '9' ? Number(first) : -1;
    const two = one >= 0 && part[1] >= '0' && part[1] <= '9' ? one * 10 + Number(part[1]) : -1;
    if (part === '' && i + 1 < parts.length) { i++; out += '$' + parts[i]; }
    else if (first === '&') out += args[0] + part.slice(1);
    else if (first === '\`') out += text.slice(0, at) + part.slice(1);
    else if (first === "'") out += text.slice(at + args[0].length) + part.slice(1);
    else if (two >= 1 && two <= count) out += (args[two] ?? '') + part.slice(2);
    else if (one >= 1 && one <= count) out += (args[one] ?? '') + part.slice(1);
    else if (first === '<' && hasGroups) {
      // A name may have $ in it. The match has no group of such a name.
      let last = i;
      while (last < parts.length && !parts[last].includes('>')) last++;
      if (last === parts.length) { out += '$' + part; continue; }
      const end = parts[last].indexOf('>');
      const groups = args[args.length - 1];
      const name = part.slice(1, end);
      if (last === i && Object.hasOwn(groups, name)) out += groups[name] ?? '';
      out += parts[last].slice(end + 1);
      i = last;
    }
    else out += '$' + part;
  }
  return out;
}`,
  },
  {
    name: 'replaceWith',
    code: `function __ms_replaceWith(text, pattern, given) {
  const replacement = __ms_text(given);
  const numbers = (replacement.match(/\\$[0-9]/g) ?? []).map((group) => Number(group[1]));
  const isOurs = /\\$(?:[0-9][0-9]|<)/.test(replacement) || (numbers.length > 0 && Math.max(...numbers) > new RegExp(pattern.source + '|', pattern.flags.replace('g', '')).exec('').length - 1);
  return isOurs ? __ms_replacePattern(text, pattern, (...args) => __ms_expandMatch(replacement, args), true) : text.replace(pattern, replacement);
}`,
  },
  {
    name: 'replace',
    code: `function __ms_replace(text, pattern, replacement) {
  if (typeof text !== 'string') return text.replace(pattern, replacement);
  if (!(pattern instanceof RegExp)) return __ms_replaceText(text, __ms_string(pattern), replacement, false);
  return typeof replacement === 'function' ? __ms_replacePattern(text, pattern, replacement) : __ms_replaceWith(text, pattern, replacement);
}`,
  },
  {
    name: 'replaceAll',
    code: `function __ms_replaceAll(text, pattern, replacement) {
  if (typeof text !== 'string') return text.replaceAll(pattern, replacement);
  if (!(pattern instanceof RegExp)) return __ms_replaceText(text, __ms_string(pattern), replacement, true);
  if (!pattern.flags.includes('g')) throw new TypeError('replaceAll must be called with a global RegExp');
  return typeof replacement === 'function' ? __ms_replacePattern(text, pattern, replacement) : __ms_replaceWith(text, pattern, replacement);
}`,
  },
];
