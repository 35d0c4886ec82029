#!/usr/bin/env node
// Checked in, because npm links a command when it installs, and in a fresh clone nothing is built by then.
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  console.error('mustard-sandbox is not built: packages/cli/dist/main.js is missing. Run: npm run build');
  process.exitCode = 4; // As where the engine is missing.
}
