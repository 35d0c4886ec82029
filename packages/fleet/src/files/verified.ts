import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import type { ObjectName } from './store.ts';

/** The content does not match its name. */
export class WrongContent extends Error {}

/** Passes content on. It fails at the end, or earlier, if the content does not match `name`. */
export function verified({ sha256, size }: Pick<ObjectName, 'sha256' | 'size'>): Transform {
  const hash = createHash('sha256');
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      // Endless content would otherwise fill the disk.
      if (bytes > size) done(new WrongContent('It is longer than it should be.'));
      else done(null, chunk);
    },
    flush(done) {
      const isRight = bytes === size && hash.digest('hex') === sha256;
      done(isRight ? null : new WrongContent('Its content does not match its hash.'));
    },
  });
}
