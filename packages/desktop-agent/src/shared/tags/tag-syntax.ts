import type { Segment } from './segments.ts';

const tagNames = [
  'agent-write',
  'agent-edit',
  'agent-rename',
  'agent-delete',
  'agent-add-dependency',
  'agent-command',
  'agent-chat-summary',
  'agent-step-done',
  'agent-plan',
  'think',
  'thinking',
] as const;
export type TagName = (typeof tagNames)[number];

/** The set of tags that an answer may have. All others are text. */
export type Dialect = 'build' | 'plan';

const names: Record<Dialect, readonly TagName[]> = {
  build: tagNames.filter((name) => name !== 'agent-plan'),
  plan: ['agent-plan', 'think', 'thinking'],
};

/** The most characters of a tag. Longer text is not held back while it streams. */
const maxTagLength = 4096;

/** What the text from a `<` on is. `length` is how many characters belong to it. */
export type Scanned =
  | { kind: 'incomplete' }
  /** It is not a tag. `length` characters are certainly text. */
  | { kind: 'text'; length: number }
  | { kind: 'open'; name: TagName; attributes: ReadonlyMap<string, string>; selfClosing: boolean; length: number }
  | { kind: 'close'; name: TagName; length: number };

/**
 * Scans one tag, piece by piece. Each character is scanned once, however the text is cut into pieces.
 *
 * A tag ends at `>` outside of quotes. It is broken, and so is text, if a line ends inside of quotes, another `<` comes
 * outside of them, or it gets too long.
 */
export class TagScanner {
  #text = '';
  #at = 1;
  #quote = '';
  #known = false;
  readonly #names: readonly TagName[];

  constructor(dialect: Dialect) {
    this.#names = names[dialect];
  }

  /** The text so far, from the `<` on. */
  get text(): string {
    return this.#text;
  }

  add(piece: string): Scanned {
    this.#text += piece;
    if (!this.#known) {
      const known = knownSoFar(this.#text, this.#names);
      if (known === 'maybe') return { kind: 'incomplete' };
      if (known === 'no') return { kind: 'text', length: 1 };
      this.#known = true;
    }
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] as string;
      if (this.#at > maxTagLength) return { kind: 'text', length: this.#at };
      if (this.#quote !== '') {
        if (character === '\n') return { kind: 'text', length: this.#at };
        if (character === this.#quote) this.#quote = '';
      } else if (character === '"' || character === "'") this.#quote = character;
      else if (character === '<') return { kind: 'text', length: this.#at };
      else if (character === '>') return parseTag(this.#text.slice(0, this.#at + 1));
    }
    return { kind: 'incomplete' };
  }
}

/** Whether a text that begins with `<` begins with the name of a tag. */
function knownSoFar(text: string, allowed: readonly TagName[]): 'yes' | 'no' | 'maybe' {
  const inner = text.slice(text[1] === '/' ? 2 : 1, 32);
  for (const name of allowed) {
    if (inner.startsWith(name)) {
      const next = inner[name.length];
      if (next === undefined) return 'maybe';
      if (/[\s/>]/.test(next)) return 'yes';
    } else if (name.startsWith(inner)) return 'maybe';
  }
  return 'no';
}

function parseTag(text: string): Scanned {
  const match = /^<(\/?)([a-z-]+)([^]*?)(\/?)>$/.exec(text);
  const name = tagNames.find((known) => known === match?.[2]);
  if (match === null || name === undefined) return { kind: 'text', length: text.length };
  if (match[1] === '/') return { kind: 'close', name, length: text.length };
  const attributes = attributesOf(match[3] as string);
  return { kind: 'open', name, attributes, selfClosing: match[4] === '/', length: text.length };
}

const attribute = /([A-Za-z][\w-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name, double, single, bare] of text.matchAll(attribute)) {
    // The first attribute of a name counts, as in HTML.
    if (!attributes.has(name as string)) attributes.set(name as string, decode(double ?? single ?? bare ?? ''));
  }
  return attributes;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Decodes once, from left to right: `&amp;lt;` becomes `&lt;`. */
function decode(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}

/** The segment that an opening tag begins. */
export function segmentOf(name: TagName, attributes: ReadonlyMap<string, string>): Segment {
  const value = (key: string): string => (attributes.get(key) ?? '').trim();
  switch (name) {
    case 'agent-write':
      return { type: 'write', path: value('path'), description: value('description'), content: '', done: false };
    case 'agent-edit':
      return { type: 'edit', path: value('path'), description: value('description'), content: '', done: false };
    case 'agent-rename':
      return { type: 'rename', from: value('from'), to: value('to'), done: true };
    case 'agent-delete':
      return { type: 'delete', path: value('path'), done: true };
    case 'agent-add-dependency':
      return {
        type: 'dependencies',
        packages: value('packages')
          .split(/[\s,]+/)
          .filter(Boolean),
        done: true,
      };
    case 'agent-command':
      return { type: 'command', command: value('type'), done: true };
    case 'agent-step-done':
      return { type: 'step', step: Number(value('step')), done: true };
    case 'agent-plan':
      return { type: 'plan', text: '', done: false };
    case 'agent-chat-summary':
      return { type: 'summary', text: '', done: false };
    case 'think':
    case 'thinking':
      return { type: 'reasoning', text: '', done: false };
  }
}
