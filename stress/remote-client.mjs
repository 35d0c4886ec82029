// A client that is killed. Prints a line for each run that began, and for each phase that it reaches.
import { writeSync } from 'node:fs';
import { play } from './remote-scenario.mjs';

const [, , url = '', token = '', cacheDir = '', path = ''] = process.argv;
const say = (word, text) => void writeSync(1, `${word}\t${text}\n`);
await play(
  { url, token, cacheDir, path },
  { began: (id) => say('began', id), reached: (phase) => say('reached', phase) },
);
