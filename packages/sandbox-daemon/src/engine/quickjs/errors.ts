import { inWords } from '@mustard-sandbox/protocol/sidecar';
import {
  maxErrorText,
  maxTraceback,
  SandboxError,
  type Construct,
  type Diagnostic,
  type SourceLocation,
} from '@mustard-sandbox/protocol';
import type { Program } from '../read/program.ts';
import { codeFrame } from '../source-location.ts';

/** The file name of the script in the stack of an error. */
export const scriptName = 'script';

/** What a script threw, as prelude/describe.js describes it. */
export interface Thrown {
  name?: string | undefined;
  message?: string | undefined;
  code?: string | undefined;
  stack?: string | undefined;
}

interface Words {
  message: string;
  construct?: Construct;
  subject?: string;
}

/** The error of a script that threw something and did not catch it. */
export function scriptError(thrown: Thrown, program: Program): SandboxError {
  const traceback = framesOf(thrown.stack ?? '', program);
  const { location, frame } = locationIn(thrown.stack ?? '', program);
  const name = thrown.name ?? 'Error';
  const words = inV8sWords(name, thrown.message ?? '', location, program);
  const { message, ...subject } = thrown.code === undefined ? words : { message: thrown.message ?? '' };
  return new SandboxError('script_error', `${name}: ${cut(message)}${inWords(location)}`, {
    details: {
      name,
      thrownMessage: message,
      thrownCode: thrown.code,
      ...subject,
      location,
      frame,
      ...(traceback.length > 0 && { traceback }),
    },
  });
}

/** Where the script was: the innermost place in the stack of the error. */
function locationIn(stack: string, program: Program): { location?: SourceLocation; frame?: string } {
  const [location] = framesOf(stack, program);
  return location === undefined ? {} : { location, frame: codeFrame(program.source, location) };
}

/** Line and column of the innermost place in the script. */
export function innermostLocation(stack: string, program: Program): { line: number; column: number } | undefined {
  const [location] = framesOf(stack, program);
  return location && { line: location.line, column: location.column };
}

/** Whether the compiler threw it. No function was running then. */
export function isOfCompiler({ name, stack }: Thrown): boolean {
  return name === 'SyntaxError' && compilerStack.test(stack ?? '');
}

const compilerStack = new RegExp(String.raw`^\s*at ${scriptName}:\d+:\d+\s*$`);

/** The problem that QuickJS found in a script that the parser accepts. */
export function syntaxError(thrown: Thrown, program: Program): Diagnostic {
  return { code: 'parse_error', message: cut(thrown.message ?? ''), ...locationIn(thrown.stack ?? '', program) };
}

/** The error of a rejected promise that nobody waits for. */
export function floatingError(thrown: Thrown, program: Program): SandboxError {
  const { code, message, details } = scriptError(thrown, program);
  return new SandboxError(code, `${message}, in a call that nobody awaits. Await it, or catch its error`, { details });
}

/** Cuts the text of an error, because a script chooses its length, and the message around it must fit too. */
function cut(text: string): string {
  const most = maxErrorText - 1024;
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

const frameLine = new RegExp(String.raw`^\s*at (?:(.*) \()?${scriptName}:(\d+):(\d+)\)?$`);

/** The places in the script at which functions were running, the innermost first. */
function framesOf(stack: string, { source, positions }: Program): SourceLocation[] {
  const lines = source.split('\n');
  const places: SourceLocation[] = [];
  for (const text of stack.split('\n')) {
    const match = frameLine.exec(text);
    if (match === null) continue;
    const [, name, lineText, columnText] = match;
    const inCode = { line: Number(lineText), column: Number(columnText) };
    const at = positions?.place(inCode) ?? inCode;
    const line = Math.min(at.line, lines.length);
    const content = lines[line - 1] ?? '';
    const column = Math.min(at.column, content.length + 1);
    const length = /^[\w$]+(?:(?:\?\.|\.)[\w$]+)*/.exec(content.slice(column - 1))?.[0].length ?? 1;
    const functionName = name === undefined || name === '<eval>' || name === '<anonymous>' ? undefined : name;
    places.push({
      line,
      column,
      endLine: line,
      endColumn: column + length,
      precision: 'statement',
      ...(functionName !== undefined && { functionName }),
    });
    if (places.length === maxTraceback) break;
  }
  return places;
}

type Reword = (match: RegExpExecArray, line: string, column: number, source: string) => Words;

/** Messages of QuickJS that V8 words differently. Models know V8's words. */
const rewordings: [RegExp, Reword][] = [
  [
    /^(?:value|object|\S+) is not iterable$|^cannot read property 'Symbol\.iterator' of (null|undefined)$/,
    ([, value], line, column) => {
      const name = value ?? iteratedAt(line, column) ?? 'value';
      return { message: `${name} is not iterable`, construct: 'not_iterable', subject: name };
    },
  ],
  [/^Cannot convert undefined or null to object$/i, ([message]) => ({ message, construct: 'nullish_access' })],
  [
    /^cannot read property '([^]*)' of (null|undefined)$/,
    ([, name, value]) => ({
      message: `Cannot read properties of ${value} (reading '${name}')`,
      construct: 'nullish_access',
      subject: name as string,
    }),
  ],
  [
    /^cannot set property '([^]*)' of (null|undefined)$/,
    ([, name, value]) => ({
      message: `Cannot set properties of ${value} (setting '${name}')`,
      construct: 'nullish_access',
      subject: name as string,
    }),
  ],
  [
    /^not a (function|constructor)$/,
    ([, what], line, column) => {
      const callee = calleeAt(line, column);
      const message = callee === undefined ? `value is not a ${what}` : `${callee} is not a ${what}`;
      return { message, construct: 'not_callable', ...(callee !== undefined && { subject: callee }) };
    },
  ],
  [
    /^'(.*)' is read-only$/,
    ([, name], _line, _column, source) =>
      new RegExp(String.raw`\bconst\b[^;=]*(?<![\w$])${escaped(name as string)}(?![\w$])`).test(source)
        ? { message: 'Assignment to constant variable.', construct: 'constant_assignment', subject: name as string }
        : { message: `Cannot assign to read only property '${name}' of object` },
  ],
  [
    /^(.*) is not initialized$/,
    ([, name]) => ({
      message: `Cannot access '${name}' before initialization`,
      construct: 'use_before_declaration',
      subject: name as string,
    }),
  ],
  [/^(.*) is not defined$/, ([message, name]) => ({ message, construct: 'undefined_name', subject: name as string })],
  [/^empty array$/, () => ({ message: 'Reduce of empty array with no initial value' })],
  [/^invalid array length$/, () => ({ message: 'Invalid array length' })],
  [/^invalid repeat count$/, () => ({ message: 'Invalid count value' })],
  [
    /^cannot convert BigInt to number$/,
    () => ({ message: 'Cannot mix BigInt and other types, use explicit conversions' }),
  ],
  [/^circular reference$/, () => ({ message: 'Converting circular structure to JSON', construct: 'cyclic_value' })],
];

function inV8sWords(name: string, message: string, location: SourceLocation | undefined, { source }: Program): Words {
  if (name === 'SyntaxError') return ofText(message, location, source);
  if (!/^(?:Type|Range|Reference)Error$/.test(name)) return { message };
  for (const [pattern, reword] of rewordings) {
    const match = pattern.exec(message);
    if (match === null) continue;
    const line = location === undefined ? '' : (source.split('\n')[location.line - 1] ?? '');
    return reword(match, line, location?.column ?? 1, source);
  }
  return { message };
}

/** While a script runs, a `SyntaxError` comes from a text that it parses: JSON, or a regular expression. */
function ofText(message: string, location: SourceLocation | undefined, source: string): Words {
  const line = location === undefined ? '' : (source.split('\n')[location.line - 1] ?? '');
  if (/\bJSON\b/.test(message)) return { message, construct: 'json_syntax' };
  if (/\bJSON\s*\.\s*parse\b/.test(line)) {
    const words = message.replace(/^unexpected token: /, 'Unexpected token ');
    return { message: `${words} in JSON`, construct: 'json_syntax' };
  }
  if (!/\bRegExp\b|\.(?:match|matchAll|search)\b/.test(line)) return { message };
  return { message: `Invalid regular expression: ${message}`, construct: 'regex_syntax' };
}

/** The value at a column that is looped over, spread or destructured. QuickJS reports the place of the statement. */
function iteratedAt(line: string, column: number): string | undefined {
  const rest = line.slice(column - 1, column - 1 + 1_000);
  const word = /\bof\s+([\w$.]+)/.exec(rest)?.[1] ?? /^(?:const|let|var)\b[^=]*=\s*([\w$.]+)/.exec(rest)?.[1];
  if (word !== undefined || /^(?:for|const|let|var)\b/.test(rest)) return word;
  return /^[\w$.]+/.exec(rest)?.[0];
}

const callee = /(?<![\w$])[A-Za-z_$][\w$]*(?:\s*(?:\?\.|\.)\s*#?[\w$]+|\[[^\]]*\])*(?=\s*(?:\?\.)?\()/g;

/** The source of the call at a column. QuickJS reports a place in the callee or right before it. */
function calleeAt(line: string, column: number): string | undefined {
  const at = column - 1;
  let found: string | undefined;
  for (const { 0: text, index } of line.slice(0, 10_000).matchAll(callee)) {
    if (index > at + 1) return found ?? text;
    if (at <= index + text.length) return text;
    found = text;
  }
  return found;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
