import { destination, pino } from 'pino';

// The default base of pino would add the name of the machine.
const base = { name: 'mustard-sandbox-daemon', pid: process.pid };

/** Log lines as JSON on stderr. A file of its own in the bundle, because loading it takes 30 ms. */
export const sink = pino({ base, level: 'debug' }, destination({ dest: 2, sync: true }));
