/** A message as it is in its file. */
export interface RawMail {
  /** Where its `From ` line begins in the unpacked file, in bytes. */
  start: number;
  /** The size of the whole message, with bytes that were not kept. */
  size: number;
  bytes: Buffer;
  /** Whether no other message follows. */
  isLast: boolean;
}

/** How much of a message is kept, in bytes. The library that parses it needs as much memory again. */
const maxKept = 16 * 1024 * 1024;

/**
 * The budget of what the library needs for a message besides its bytes, which is at most 150 MB and two seconds. A line that
 * may begin a part takes 2 KB. A line of text is stored separately. A line of base64 is only read, unless many marks end
 * its groups.
 */
const maxCost = 400_000;
const costs = { part: 40, textLine: 8, longLine: 1, mark: 2 };
/** A line of base64 has at least this many bytes, and no space. */
const longLine = 60;

const [newline, dash, equals, space] = [0x0a, 0x2d, 0x3d, 0x20];

/** Collects the bytes of one message. It keeps as many from the start as can be parsed in bounded memory. */
export class RawMailParts {
  size = 0;
  readonly #kept: Buffer[] = [];
  #left = maxKept;
  #cost = 0;
  #line = { length: 0, dashes: 0, hasSpace: false };

  /** @param bytes the caller may overwrite them afterwards */
  add(bytes: Buffer): void {
    this.size += bytes.length;
    if (this.#left === 0) return;
    const fitting = bytes.subarray(0, this.#left);
    const end = this.#affordable(fitting);
    this.#kept.push(Buffer.from(fitting.subarray(0, end)));
    this.#left = end < fitting.length ? 0 : this.#left - end;
  }

  taken(start: number, isLast: boolean): RawMail {
    return { start, size: this.size, bytes: Buffer.concat(this.#kept), isLast };
  }

  /** How many of the bytes can be kept. It looks at each byte, because searching for each mark is slow if there are many. */
  #affordable(bytes: Buffer): number {
    const line = this.#line;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === newline) {
        const isText = line.hasSpace || line.length < longLine;
        this.#cost += line.dashes >= 2 ? costs.part : isText ? costs.textLine : costs.longLine;
        if (this.#cost > maxCost) return at;
        line.length = line.dashes = 0;
        line.hasSpace = false;
        continue;
      }
      if (byte === dash && line.dashes === line.length) line.dashes++;
      else if (byte === space) line.hasSpace = true;
      else if (byte === equals && (this.#cost += costs.mark) > maxCost) return at;
      line.length++;
    }
    return bytes.length;
  }
}
