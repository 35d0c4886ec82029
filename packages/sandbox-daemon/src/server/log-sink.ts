import { destination, pino } from 'pino';

// pino would add the name of the machine by default.
const base = { name: 'mustard-sandbox-daemon', pid: process.pid };

/** Log lines as JSON on stderr. This is a file of its own in the bundle, because loading it takes 30 ms. */
export const sink = pino({ base, level: 'debug' }, destination({ dest: 2, sync: true }));
