import { destination, pino } from 'pino';

/** Log lines as JSON on stderr. A file of its own in the bundle, because loading it takes 30 ms. */
export const sink = pino({ name: 'mustard-sandbox-daemon', level: 'debug' }, destination({ dest: 2, sync: true }));
