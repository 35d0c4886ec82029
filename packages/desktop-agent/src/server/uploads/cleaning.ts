import type { Services } from '../services.ts';

/** A file that was dropped and never sent is kept for a day, in ms. */
const unusedMs = 24 * 3600_000;
/** The first cleaning is some time after the start, in ms, so that the start stays fast. */
const firstMs = 60_000;
const everyMs = 6 * 3600_000;

/** Regularly removes what uploads left behind. @returns stops that */
export function keepClean({ uploads, log }: Pick<Services, 'uploads' | 'log'>): () => Promise<void> {
  let last = Promise.resolve();
  const clean = (): void => {
    last = uploads.clean(unusedMs).catch(({ name, code }: Error & { code?: unknown }) => {
      log.error({ name, code }, 'unused uploads could not be removed');
    });
  };
  const first = setTimeout(clean, firstMs).unref();
  const every = setInterval(clean, everyMs).unref();
  return async () => {
    clearTimeout(first);
    clearInterval(every);
    await last;
  };
}
