// Puts a script in front of all others of an HTML page, while the page streams through.
import { Transform, type TransformCallback } from 'node:stream';

/** The most characters to wait for the head. After them the script goes to the last place that is surely before the head. */
const maxHeld = 16 * 1024;

/** Puts `tag` after the beginning of a page: doctype, comments, and the tags `html` and `head`. */
export class Injected extends Transform {
  readonly #tag: Buffer;
  #held: Buffer | undefined = Buffer.alloc(0);

  constructor(tag: string) {
    super();
    this.#tag = Buffer.from(tag);
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    if (this.#held === undefined) return done(null, chunk);
    this.#held = Buffer.concat([this.#held, chunk]);
    const { at, isKnown } = endOfBeginning(this.#held.toString('latin1'));
    if (isKnown || this.#held.length > maxHeld) this.#put(at);
    done();
  }

  override _flush(done: TransformCallback): void {
    if (this.#held !== undefined) this.#put(endOfBeginning(this.#held.toString('latin1')).at);
    done();
  }

  #put(at: number): void {
    const held = this.#held as Buffer;
    this.#held = undefined;
    this.push(Buffer.concat([held.subarray(0, at), this.#tag, held.subarray(at)]));
  }
}

const beginnings = [/\uFEFF|ï»¿/y, /\s+/y, /<!--[^]*?-->/y, /<!doctype[^>]*>/iy, /<html(?:\s[^>]*)?>/iy];
const head = /<head(?:\s[^>]*)?>/iy;
/** Text that may yet become a part of the beginning. */
const unfinished = /^(?:<(?:!(?:-(?:-[^]*)?|d[^>]*)?|h(?:t(?:m(?:l(?:\s[^>]*)?)?)?|e(?:a(?:d(?:\s[^>]*)?)?)?)?)?)?$/i;

/** Where the beginning ends, as far as that is known. */
function endOfBeginning(html: string): { at: number; isKnown: boolean } {
  let at = 0;
  for (let isOn = true; isOn;) {
    isOn = false;
    for (const beginning of beginnings) {
      beginning.lastIndex = at;
      const [found = ''] = beginning.exec(html) ?? [];
      if (found === '') continue;
      at += found.length;
      isOn = true;
    }
  }
  head.lastIndex = at;
  const [found] = head.exec(html) ?? [];
  if (found !== undefined) return { at: at + found.length, isKnown: true };
  return { at, isKnown: !unfinished.test(html.slice(at)) };
}
