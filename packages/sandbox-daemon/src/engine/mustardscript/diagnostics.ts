import { inWords } from '@mustard-sandbox/protocol/sidecar';
import {
  limitAdvice,
  limitTable,
  maxErrorText,
  maxProblems,
  messageOf,
  SandboxError,
  type Diagnostic,
  type ErrorDetails,
  type Limits,
} from '@mustard-sandbox/protocol';
import { subjectOf, type Subject } from './construct.ts';
import { locationOf, tracebackOf, type Located, type Trace } from './located.ts';
import { codeFrame, locate, syntaxErrorOf } from '../source-location.ts';
import type { Program } from '../read/program.ts';

/**
 * The addon puts everything into one string:
 *
 *     Runtime: TypeError: value is not callable [code=X] [17..40]
 *       at lookup [0..93]
 *       at <script> [0..120]
 *
 * It has a kind, a text (which the script may have chosen), a span and a traceback. Spans are UTF-8 byte offsets. Only
 * this file and construct.ts read such strings.
 */
interface EngineMessage extends Trace {
  kind: string;
  text: string;
}

/** The script that the messages are about: as it was written, and as the engine got it. */
type Script = Pick<Program, 'source' | 'code' | 'positions'>;

const frameLine = /^ {2}at ([^\s[\]]+) \[(\d+)\.\.(\d+)\]$/;
const trailingSpan = / \[(\d+)\.\.(\d+)\]$/;

/** Reads a message, and converts its places to places in the script as it was written. */
function readMessage(error: unknown, { positions }: Script): EngineMessage {
  const message = parseMessage(messageOf(error));
  if (positions === undefined) return message;
  const { kind, text, span } = message;
  const frames = message.frames.map((frame) => ({ name: frame.name, span: positions.span(frame.span) }));
  return { kind, text, frames, ...(span && { span: positions.span(span) }) };
}

function parseMessage(message: string): EngineMessage {
  const lines = message.split('\n');
  const frames: EngineMessage['frames'] = [];
  // The message is parsed from its end, so that a text of the script cannot pass for lines of the engine.
  for (let match; (match = frameLine.exec(lines.at(-1) ?? '')) !== null && lines.length > 1; lines.pop()) {
    frames.unshift({ name: match[1] as string, span: { start: Number(match[2]), end: Number(match[3]) } });
  }
  let text = lines.join('\n');
  const kind = /^[A-Z][a-z]+(?=: )/.exec(text)?.[0] ?? 'Runtime';
  if (text.startsWith(`${kind}: `)) text = text.slice(kind.length + 2);
  const match = trailingSpan.exec(text);
  if (match === null) return { kind, text, frames };
  const span = { start: Number(match[1]), end: Number(match[2]) };
  return { kind, text: text.slice(0, match.index), span, frames };
}

/** The problems that the compiler found, in its order. */
export function compileDiagnostics(error: unknown, script: Script): Diagnostic[] {
  const { source } = script;
  const messages = messageOf(error)
    .split(/\n(?=(?:Parse|Validation): )/)
    .slice(0, maxProblems);
  const seen = new Set<string>();
  return messages.flatMap((message) => {
    // The compiler repeats a message when it visits a node twice.
    if (seen.has(message)) return [];
    seen.add(message);
    const { kind, text, span } = readMessage(message, script);
    const code = kind === 'Parse' ? 'parse_error' : 'unsupported_syntax';
    const location = span === undefined ? syntaxErrorOf(source)?.location : locate(source, span, 'statement');
    return [
      {
        code,
        message: cut(reworded(text)),
        ...subjectOf(text),
        ...(location && { location, frame: codeFrame(source, location) }),
      },
    ];
  });
}

/** Cuts the text of an error, because a script chooses its length, and the message around it must fit too. */
function cut(text: string): string {
  const most = maxErrorText - 1024;
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** The text without parts that matter only inside the engine, such as its versions and modes. */
function reworded(text: string): string {
  return text.replace(/ in v1$/, '');
}

/**
 * The error of a script that failed while it ran.
 *
 * @param called the function whose error the script got last
 */
export function runtimeError(error: unknown, script: Script, limits: Limits, called?: string): SandboxError {
  const message = readMessage(error, script);
  const thrown = thrownParts(message.text);
  // An error with a code comes from a capability call or from the script, in words of their own.
  const subject = thrown.code === undefined ? subjectOf(thrown.message) : undefined;
  const located = locationOf(message, script.source, { subject, called });
  if (message.kind === 'Limit') return limitError(message.text, located, limits);
  if (isHeapFull(thrown.message)) return limitError('heap limit', located, limits);
  if (message.span === undefined && message.frames.length === 0) return boundaryError(message.text, subject);
  return new SandboxError('script_error', `${thrown.name}: ${cut(thrown.message)}${inWords(located.location)}`, {
    details: {
      name: thrown.name,
      thrownMessage: thrown.message,
      thrownCode: thrown.code,
      ...subject,
      ...located,
      traceback: tracebackOf(message, script.source),
    },
  });
}

/**
 * The engine says this when its memory is full while it takes in the answer of a call, because it has collected the
 * value that it was about to hand over.
 */
function isHeapFull(thrownMessage: string): boolean {
  return thrownMessage === 'gc encountered missing object';
}

const limitMessages = [
  [/^instruction budget/, 'instructions'],
  [/^heap limit/, 'heapBytes'],
  [/^allocation budget/, 'allocations'],
  [/^call depth/, 'callDepth'],
  [/^outstanding host-call/, 'outstandingHostCalls'],
] as const;

function limitError(text: string, located: Located, limits: Limits): SandboxError {
  if (text.startsWith('execution cancelled')) {
    return new SandboxError('cancelled', `The run was cancelled${inWords(located.location)}.`, {
      details: { ...located },
    });
  }
  const option = limitMessages.find(([pattern]) => pattern.test(text))?.[1];
  if (option === undefined) {
    // A bound inside the engine that no caller can set, such as the depth of JSON.
    const details: ErrorDetails = { limit: 'engine', engineMessage: text, ...subjectOf(text), ...located };
    return new SandboxError('limit_exceeded', `A fixed limit of the engine: ${text}${inWords(located.location)}.`, {
      details,
    });
  }
  const { name, unit } = limitTable[option];
  const value = limits[option];
  const message =
    `The script exceeded its limit of ${value} ${unit} (${name})${inWords(located.location)}. ` + limitAdvice(option);
  return new SandboxError('limit_exceeded', message, { details: { limit: name, value, unit, ...located } });
}

const boundaryAdvice: [RegExp, string][] = [
  [
    /^shared references/,
    'The same object or array occurs twice in it: copy it, for example with {...object} or [...array]',
  ],
  [/^cyclic/, 'An object in it contains itself: return the fields that matter instead'],
  [/^Map and Set/, 'Convert it with [...map] or [...set], or Object.fromEntries(map)'],
  [/^Date/, 'Return date.toISOString() or date.getTime()'],
  [/^BigInt/, 'Return String(value) or Number(value)'],
  [
    /^functions/,
    'Call the function and return its result. In a script that uses await, a capability call gives a promise: await it',
  ],
  [/nesting limit/, 'Flatten it'],
  [/^only plain/, 'Return plain objects, arrays, strings, numbers or booleans'],
];

/** An error without a place comes from the edge of the script: from its result, or from a promise that it waits for. */
function boundaryError(text: string, subject: Subject | undefined): SandboxError {
  if (subject?.construct === 'unsettled_promise') {
    return new SandboxError('script_error', 'The script awaits a promise that nothing will ever settle.', {
      details: { name: 'Error', ...subject },
    });
  }
  const advice = boundaryAdvice.find(([pattern]) => pattern.test(text))?.[1];
  if (advice === undefined) {
    const details = { name: 'Error', ...subject };
    return new SandboxError('script_error', `The engine refused: ${text}.`, { details });
  }
  return new SandboxError('script_error', `The result cannot leave the sandbox: ${text}. ${advice}.`, {
    details: { name: 'ResultError', ...subject },
  });
}

/** Splits `TypeError: message [code=X] [details=…]` into its parts. The engine only says that there are details. */
function thrownParts(text: string): { name: string; message: string; code?: string } {
  const name = /^[A-Za-z_$][\w$]*(?=: )/.exec(text)?.[0] ?? 'Error';
  let message = text.startsWith(`${name}: `) ? text.slice(name.length + 2) : text;
  const code = / \[code=([^\]]*)\](?: \[details=[\s\S]*\])?$/.exec(message);
  if (code !== null) message = message.slice(0, code.index);
  else if (message.endsWith(unnamedDetails)) message = message.slice(0, -unnamedDetails.length);
  return { name, message, ...(code !== null && { code: code[1] as string }) };
}

const unnamedDetails = ' [details=[object Object]]';
