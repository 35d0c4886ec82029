import { formatBytes } from '@mustard-sandbox/agent-tool';
import { canMoveCursor, styled, widthOf, writeLine } from './output.ts';

/** Work that ends sooner than this, in ms, shows no progress line. */
const patienceMs = 300;
const frameMs = 100;
const frames = ['|', '/', '-', '\\'];

/**
 * A line on stderr that shows what is being done and for how long. Disposing of it erases the line. If stderr is not a
 * terminal, nothing is written.
 */
export class Progress implements Disposable {
  readonly #stream = process.stderr;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #text: string;
  #shown = false;

  constructor(text: string, { quiet = false } = {}) {
    this.#text = text;
    if (quiet || !canMoveCursor(this.#stream)) return;
    this.#timer = setInterval(() => this.#draw(), frameMs);
    this.#timer.unref();
  }

  /** Sets what is being done now. */
  update(text: string): void {
    this.#text = text;
  }

  /** Erases the progress line, and writes `text` to `stream`. The next drawing shows the progress below it. */
  writeLine(stream: NodeJS.WriteStream, text: string): void {
    this.#erase();
    writeLine(stream, text);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#erase();
  }

  #draw(): void {
    const ms = performance.now() - this.#startedAt;
    if (ms < patienceMs) return;
    const frame = frames[Math.floor(ms / frameMs) % frames.length] as string;
    const line = `${frame} ${this.#text} · ${(ms / 1000).toFixed(1)} s · Ctrl-C stops it`;
    // A line that wraps cannot be erased, and some terminals wrap when the last column is used.
    this.#stream.write(`\r${styled(this.#stream, 'dim', line.slice(0, widthOf(this.#stream) - 1))}\u001b[K`);
    this.#shown = true;
  }

  #erase(): void {
    if (this.#shown) this.#stream.write('\r\u001b[K');
    this.#shown = false;
  }
}

const barWidth = 20;

/** Such as `█████░░░░░░░░░░░░░░░ 25% of 80 MB`. A file may have grown since its size was read. */
export function progressBar(done: number, total: number): string {
  const share = total > 0 ? Math.min(1, done / total) : 1;
  const filled = Math.floor(share * barWidth);
  const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
  return `${bar} ${Math.floor(share * 100)}% of ${formatBytes(total)}`;
}
