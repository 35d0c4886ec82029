import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from './program.ts';

const program = await startProgram({ dataDir: join(tmpdir(), 'mustard-agent-first') });
process.stdout.write(`${program.url}\n`);
