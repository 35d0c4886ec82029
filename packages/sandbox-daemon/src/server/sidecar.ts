import { Console } from 'node:console';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadBinding } from '../engine/mustardscript/binding.ts';
import { Engines } from '../engine/engines.ts';
import type { Reading } from '../engine/read/reading.ts';
import { loadReadingBy } from '../engine/read/read.ts';
import { messageOf } from '@mustard-sandbox/protocol';
import { loadCompiled } from './compiled.ts';
import { closeInheritedHandles } from './inherited-handles.ts';
import { createLogger } from './logger.ts';
import { StandardInput, StandardOutput } from './stdio.ts';
import { exitCodes, Server } from './server.ts';
import { ProcessWatchdog } from './watchdog.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

let stderrConsole: Console | undefined;
// One stray byte on stdout breaks the framing for good, so console output goes to stderr. The console is made at its
// first use, because nearly nothing prints.
Object.defineProperty(globalThis, 'console', {
  get: () => (stderrConsole ??= new Console(process.stderr, process.stderr)),
});

if (process.argv.includes('--version')) {
  process.stdout.write(`${version}\n`);
} else if (process.argv.length > 2 || process.stdin.isTTY) {
  process.stderr.write(
    'This is the sidecar of mustard-sandbox. It speaks JSON-RPC 2.0 with Content-Length framing over stdio\n' +
      'and is started by a client: use the command `mustard-sandbox` or the package @mustard-sandbox/client.\n',
  );
  process.exitCode = exitCodes.usage;
} else {
  serve();
}

/** The parser is a separate file in the bundle, because most scripts run without it. */
function loadReading(): Reading {
  return loadCompiled(fileURLToPath(new URL('./reading.cjs', import.meta.url))) as Reading;
}

function serve(): void {
  closeInheritedHandles();
  const logger = createLogger();
  const die = (error: unknown): void => {
    logger.error(`unexpected ${error instanceof Error ? `${error.name}: ${error.message}` : messageOf(error)}`);
    process.exit(exitCodes.software);
  };
  process.on('uncaughtException', die).on('unhandledRejection', die);
  // Ctrl-C goes to the whole terminal group, but only the host decides when a sidecar ends.
  process.on('SIGINT', () => {});

  const loaded = loadBinding();
  loadReadingBy(loadReading);
  const server = new Server({
    input: new StandardInput(process.stdin),
    output: new StandardOutput(process.stdout as object),
    version,
    engines: new Engines(loaded, new URL('.', import.meta.url)),
    watchdog: new ProcessWatchdog(loaded.info.path),
    logger,
    end: (exitCode) => process.exit(exitCode),
  });
  server.listen();
}
