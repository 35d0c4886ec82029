// The tags of an answer as parts of the message, while it streams.
import type { Segment } from '../../shared/tags/parse.ts';
import type { LiveMessage } from './live-message.ts';
import { ToolLine } from './tools/tool-part.ts';

type Tag = Exclude<Segment, { type: 'text' | 'reasoning' | 'summary' | 'step' }>;

/** How many more lines of a file there are before its card says so. */
const linesAtOnce = 20;

/** Shows the segments of one answer, which only grow: each text where it goes on, each tag as one line. */
export class SegmentParts {
  readonly #live: LiveMessage;
  readonly #onStep: (step: number) => void;
  /** How many segments are shown to their end. */
  #whole = 0;
  /** How many characters of the unfinished part were sent. */
  #chars = 0;
  #line: ToolLine | undefined;
  #lines = 0;

  /** @param onStep called with each step that the answer ticks off, as the model numbers it */
  constructor(live: LiveMessage, onStep: (step: number) => void = () => {}) {
    this.#live = live;
    this.#onStep = onStep;
  }

  show(segments: readonly Segment[]): void {
    for (; this.#whole < segments.length; this.#next()) {
      const segment = segments[this.#whole] as Segment;
      this.#showOne(segment);
      // A later segment means that this one has ended.
      if (this.#whole === segments.length - 1 && (!segment.done || segment.type === 'text')) return;
    }
  }

  /** Nothing more comes. A tag that is still open was cut off. */
  end(segments: readonly Segment[]): void {
    this.show(segments);
    const last = segments.at(-1);
    if (last !== undefined && !last.done && this.#line !== undefined) {
      const what = last.type === 'plan' ? 'There is no plan.' : 'This file is left out.';
      this.#line.change({ state: 'failed', detail: `The answer was cut off here. ${what}` });
    }
  }

  #next(): void {
    this.#whole++;
    this.#chars = 0;
    this.#line = undefined;
    this.#lines = 0;
  }

  #showOne(segment: Segment): void {
    if (segment.type === 'summary') return;
    if (segment.type === 'step') return this.#onStep(segment.step);
    if (segment.type === 'text' || segment.type === 'reasoning') {
      this.#live.append(segment.type, segment.text.slice(this.#chars));
      this.#chars = segment.text.length;
      return;
    }
    this.#line ??= new ToolLine(this.#live, segment.type, titleOf(segment));
    if (segment.type === 'write' || segment.type === 'edit') this.#showLines(segment.content, segment.description);
    else if (segment.type === 'plan') this.#showLines(segment.text, '');
    if (segment.done) this.#line.change({ state: 'done', detail: detailOf(segment) });
  }

  #showLines(content: string, description: string): void {
    // Counted from where the last count ended: a file of 10,000 lines is not counted anew for each of its words.
    for (let at = content.indexOf('\n', this.#chars); at !== -1; at = content.indexOf('\n', at + 1)) {
      this.#lines++;
      this.#chars = at + 1;
    }
    const shown = this.#lines - (this.#lines % linesAtOnce);
    if (shown > 0) this.#line?.change({ detail: withDescription(description, `${shown} lines`) });
  }
}

function titleOf(tag: Tag): string {
  switch (tag.type) {
    case 'write':
      return `Write ${tag.path}`;
    case 'edit':
      return tag.path === '' ? 'Edit files by a diff' : `Edit ${tag.path}`;
    case 'rename':
      return `Rename ${tag.from} to ${tag.to}`;
    case 'delete':
      return `Delete ${tag.path}`;
    case 'dependencies':
      return `Add ${tag.packages.join(', ')}`;
    case 'command':
      return `Suggest to ${tag.command}`;
    case 'plan':
      return 'Write a plan';
  }
}

function detailOf(tag: Tag): string {
  if (tag.type !== 'write' && tag.type !== 'edit') return '';
  const lines = tag.content === '' ? 0 : tag.content.replace(/\n$/, '').split('\n').length;
  return withDescription(tag.description, `${lines} ${lines === 1 ? 'line' : 'lines'}`);
}

function withDescription(description: string, lines: string): string {
  return description === '' ? lines : `${description} · ${lines}`;
}
