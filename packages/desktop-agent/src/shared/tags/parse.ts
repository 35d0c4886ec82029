// Reads the answer of a model in the modes Build and Plan. It runs in the server and in the page, so it uses nothing of Node.
import { CodeSpans } from './code-spans.ts';
import type { Segment, SegmentOf } from './segments.ts';
import { segmentOf, TagScanner, type Dialect, type Scanned, type TagName } from './tag-syntax.ts';

export { endsInsideWrite, type Segment } from './segments.ts';
export { joinContinuation } from './continuation.ts';

export interface TagParser {
  /** The segments so far. The array and the objects stay the same and grow. */
  readonly segments: readonly Segment[];
  push(chunk: string): void;
  /** Call it at the end of the answer. Text that was held back because it could have become a tag is then text. */
  end(): void;
}

/** Parses a whole answer. The result is the same as for pushing it in any pieces. */
export function parseTags(text: string, dialect: Dialect = 'build'): readonly Segment[] {
  const parser = createTagParser(dialect);
  parser.push(text);
  parser.end();
  return parser.segments;
}

/**
 * Parses an answer while it streams, in time linear in its length.
 *
 * - Tags in code (fences, backticks) and unknown or broken tags are text. An end tag without its beginning is dropped.
 * - A write or an edit runs to the matching end tag. In it, a tag of the same name at the start of a line is content and has
 *   its own end tag. An end tag in the middle of a line, with code after it, is content. The line break after the opening tag
 *   is not content.
 * - Reasoning and a plan run to their end tags, and tags in them are text. A summary is one line.
 */
export function createTagParser(dialect: Dialect = 'build'): TagParser {
  return new Parser(dialect);
}

/** How many characters the scanner of tags gets at a time, because it keeps what it gets. */
const pieceLength = 64;
/** How far after an end tag we look to see what it means. */
const maxLookahead = 256;

class Parser implements TagParser {
  readonly segments: Segment[] = [];
  readonly #code = new CodeSpans();
  #scanner: TagScanner | undefined;
  /** An end tag of a write in the middle of a line, and what came after it. */
  #closing: { tag: string; after: string } | undefined;
  /** How many writes are open within the open one. */
  #depth = 0;
  /** Whether only blanks came on this line of a body. */
  #blankLine = true;
  /** Whether a body has just begun, so that a line break is not part of it. */
  #fresh = false;
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  push(chunk: string): void {
    let text = chunk;
    let at = 0;
    while (at < text.length) {
      if (this.#closing !== undefined) {
        const left = this.#lookAhead(text, at);
        if (left === undefined) return;
        [text, at] = left;
      } else if (this.#scanner === undefined) {
        const next = text.indexOf('<', at);
        const end = next === -1 ? text.length : next;
        this.#append(text.slice(at, end));
        at = end;
        if (next !== -1 && this.#mayBeTag()) this.#scanner = new TagScanner(this.#dialect);
        else if (next !== -1) {
          this.#append('<');
          at++;
        }
      } else {
        const scanner = this.#scanner;
        const piece = text.slice(at, at + pieceLength);
        const scanned = scanner.add(piece);
        at += piece.length;
        if (scanned.kind === 'incomplete') continue;
        this.#scanner = undefined;
        const whole = scanner.text;
        this.#take(scanned, whole.slice(0, scanned.length));
        const left = whole.length - scanned.length;
        // The rest came with this piece, unless what looked like a name began in an earlier chunk.
        if (left <= at) at -= left;
        else [text, at] = [whole.slice(scanned.length) + text.slice(at), 0];
      }
    }
  }

  end(): void {
    if (this.#closing !== undefined) this.#endWrite();
    this.#closing = undefined;
    const held = this.#scanner?.text ?? '';
    this.#scanner = undefined;
    this.#append(held);
    const last = this.segments.at(-1);
    if (last?.type === 'text' || last?.type === 'summary') last.done = true;
  }

  get #body(): SegmentOf<'write' | 'edit' | 'reasoning' | 'plan' | 'summary'> | undefined {
    const last = this.segments.at(-1);
    const isBody = isFile(last) || last?.type === 'reasoning' || last?.type === 'plan' || last?.type === 'summary';
    return isBody && !last.done ? last : undefined;
  }

  #mayBeTag(): boolean {
    return this.#body !== undefined || !this.#code.insideCode;
  }

  #append(piece: string): void {
    if (piece === '') return;
    const body = this.#body;
    if (body === undefined) return this.#appendText(piece);
    if (body.type === 'summary') return this.#appendSummary(body, piece);
    let text = piece;
    if (this.#fresh && isFile(body)) {
      // The content may end with a lone "\r", the first half of a "\r\n" that two pieces split.
      const before = body.content;
      const both = before + text;
      if (both === '\r') {
        body.content = both;
        return;
      }
      body.content = '';
      text = both.replace(/^\r?\n/, '');
      this.#blankLine = true;
      this.#fresh = false;
      if (text === '') return;
    }
    this.#noteLine(text);
    if (isFile(body)) body.content += text;
    else body.text += text;
  }

  #noteLine(text: string): void {
    const line = text.lastIndexOf('\n');
    if (line !== -1) this.#blankLine = true;
    if (this.#blankLine) this.#blankLine = text.slice(line + 1).trim() === '';
  }

  #appendText(text: string): void {
    this.#code.add(text);
    const last = this.segments.at(-1);
    if (last?.type === 'text') last.text += text;
    else this.segments.push({ type: 'text', text, done: false });
  }

  #appendSummary(body: SegmentOf<'summary'>, piece: string): void {
    const text = body.text === '' ? piece.trimStart() : piece;
    const end = text.indexOf('\n');
    body.text += end === -1 ? text : text.slice(0, end);
    if (end === -1) return;
    this.#endBody(body);
    this.#append(text.slice(end));
  }

  /** Handles what the scanner found: inside a tag or outside of all. */
  #take(scanned: Exclude<Scanned, { kind: 'incomplete' }>, source: string): void {
    const body = this.#body;
    if (scanned.kind === 'text') return this.#append(source);
    if (body === undefined) {
      if (scanned.kind === 'open')
        this.#open(scanned.name, segmentOf(scanned.name, scanned.attributes), scanned.selfClosing);
      return;
    }
    if (isFile(body)) return this.#takeInFile(scanned, source, `agent-${body.type}`);
    const ends = scanned.kind === 'close' && isEndOf(scanned.name, body);
    if (ends) this.#endBody(body);
    else this.#append(source);
  }

  #open(name: TagName, segment: Segment, selfClosing: boolean): void {
    const last = this.segments.at(-1);
    if (last?.type === 'text') last.done = true;
    this.segments.push(segment);
    this.#code.add(`<${name}>`);
    if (selfClosing) segment.done = true;
    this.#depth = 0;
    this.#fresh = true;
    this.#blankLine = true;
  }

  #takeInFile(scanned: Extract<Scanned, { kind: 'open' | 'close' }>, source: string, name: TagName): void {
    if (scanned.name !== name) return this.#append(source);
    if (scanned.kind === 'open') {
      if (this.#blankLine && !scanned.selfClosing) this.#depth++;
      return this.#append(source);
    }
    if (!this.#blankLine) this.#closing = { tag: source, after: '' };
    else this.#endWrite(source);
  }

  /** Ends the write that is open, or one within it, whose end tag is content. */
  #endWrite(source = this.#closing?.tag ?? ''): void {
    if (this.#depth > 0) {
      this.#depth--;
      this.#append(source);
      return;
    }
    const body = this.#body;
    if (body !== undefined) this.#endBody(body);
  }

  #endBody(body: SegmentOf<'write' | 'edit' | 'reasoning' | 'plan' | 'summary'>): void {
    if (body.type === 'summary') body.text = body.text.trimEnd();
    body.done = true;
  }

  /** Returns what to read next, or `undefined` when more text is needed. */
  #lookAhead(text: string, at: number): [text: string, at: number] | undefined {
    const closing = this.#closing as { tag: string; after: string };
    const known = closing.after.length;
    const after = closing.after + text.slice(at, at + maxLookahead - known);
    const ends = /^[ \t\r]*(?:\n|<\/?agent-)/.test(after);
    if (!ends && after.length < maxLookahead && /^[ \t\r]*(?:<\/?(?:a(?:g(?:e(?:nt?)?)?)?)?)?$/.test(after)) {
      closing.after = after;
      return undefined;
    }
    if (ends) this.#endWrite();
    else this.#append(closing.tag);
    this.#closing = undefined;
    return known === 0 ? [text, at] : [closing.after + text.slice(at), 0];
  }
}

/** Whether its content is a file or an edit of one. */
function isFile(segment: Segment | undefined): segment is SegmentOf<'write' | 'edit'> {
  return segment?.type === 'write' || segment?.type === 'edit';
}

function isEndOf(name: TagName, body: Segment): boolean {
  if (body.type === 'summary') return name === 'agent-chat-summary';
  if (body.type === 'plan') return name === 'agent-plan';
  return body.type === 'reasoning' && (name === 'think' || name === 'thinking');
}
