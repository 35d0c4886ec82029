#!/usr/bin/env node
// Checked in, because npm links a command when it installs, and in a fresh clone nothing is built by then.
import { existsSync } from 'node:fs';

const main = new URL('../dist/server/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  console.error(
    'mustard-agent is not built: packages/desktop-agent/dist/server/main.js is missing. Run: npm run build',
  );
  process.exitCode = 4;
}
