import { builtinNames } from '@mustard-sandbox/protocol/builtins';

/** The kind of a piece of a script, which decides its colour. */
type TokenKind = 'comment' | 'string' | 'number' | 'keyword' | 'builtin' | 'plain';

/** A piece of a script. */
export interface Token {
  kind: TokenKind;
  text: string;
}

const keywords = new Set(
  'async await break case catch const continue default delete do else export false finally for function if import in instanceof let new null of return static switch this throw true try typeof undefined var void while yield'.split(
    ' ',
  ),
);
const builtins = new Set<string>([...builtinNames, 'console']);

// Each alternative takes at least one character and never fails after a long look ahead, so the time is linear for any
// script. A string or pattern that is not closed ends with its line. Template literals are split below.
const token =
  /(?<comment>\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?)|(?<string>"(?:\\[^\n]|[^"\\\n])*"?|'(?:\\[^\n]|[^'\\\n])*'?)|(?<number>\d[\w.]*)|(?<name>[\p{L}_$][\p{L}\p{N}_$]*)|(?<space>\s+)|[^]/uy;
const pattern = /\/(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n])*(?:\]|$|(?=\n))|[^/\\[\n])+(?:\/\p{L}*)?/uy;
const templateText = /(?:\\[^]|\$(?!\{)|[^`\\$])+/uy;

/** A script in pieces. Joined, the pieces are the script. It also takes scripts that are not JavaScript. */
function highlight(script: string): Token[] {
  const tokens: Token[] = [];
  /** How many braces are open in each `${`; -1 for the text of a template around it. */
  const braces: number[] = [];
  let inTemplate = false;
  let mayDivide = false;
  let at = 0;
  const push = (kind: TokenKind, text: string): void => {
    at += text.length;
    const last = tokens.at(-1);
    if (last?.kind === kind) last.text += text;
    else tokens.push({ kind, text });
  };
  const take = (expression: RegExp): RegExpExecArray | null => {
    expression.lastIndex = at;
    return expression.exec(script);
  };

  while (at < script.length) {
    if (inTemplate) {
      const text = take(templateText);
      if (text !== null) push('string', text[0]);
      else if (script[at] === '`') {
        push('string', '`');
        inTemplate = false;
        mayDivide = true;
      } else {
        push('string', script.slice(at, at + 2));
        braces.push(0);
        inTemplate = false;
        mayDivide = false;
      }
      continue;
    }
    const character = script[at];
    const next = script[at + 1];
    if (character === '`') {
      push('string', '`');
      inTemplate = true;
      continue;
    }
    if (character === '/' && !mayDivide && next !== '/' && next !== '*') {
      const found = take(pattern);
      if (found !== null) {
        push('string', found[0]);
        mayDivide = true;
        continue;
      }
    }
    if (character === '}' && braces.at(-1) === 0) {
      braces.pop();
      push('string', '}');
      inTemplate = true;
      continue;
    }
    const { 0: text, groups = {} } = take(token) as RegExpExecArray;
    push(kindOf(text, groups), text);
    if (text === '{' && braces.length > 0) braces[braces.length - 1]! += 1;
    if (text === '}' && braces.length > 0) braces[braces.length - 1]! -= 1;
    if (groups['space'] === undefined && groups['comment'] === undefined) {
      const isName = groups['name'] !== undefined && !keywords.has(text);
      mayDivide = isName || groups['number'] !== undefined || groups['string'] !== undefined || /^[)\]}]$/.test(text);
    }
  }
  return tokens;
}

function kindOf(text: string, groups: Record<string, string | undefined>): TokenKind {
  if (groups['comment'] !== undefined) return 'comment';
  if (groups['string'] !== undefined) return 'string';
  if (groups['number'] !== undefined) return 'number';
  if (groups['name'] === undefined) return 'plain';
  return keywords.has(text) ? 'keyword' : builtins.has(text) ? 'builtin' : 'plain';
}

/** The tokens of a script, line by line. */
export function highlightLines(script: string): Token[][] {
  return byLine(highlight(script.replaceAll('\r\n', '\n')));
}

/** A text that is not a script, line by line. */
export function plainLines(text: string): Token[][] {
  return byLine([{ kind: 'plain', text: text.replaceAll('\r\n', '\n') }]);
}

function byLine(tokens: readonly Token[]): Token[][] {
  const lines: Token[][] = [[]];
  for (const { kind, text } of tokens) {
    text.split('\n').forEach((part, index) => {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ kind, text: part });
    });
  }
  return lines;
}
