import { join } from 'node:path';
import { CommanderError } from 'commander';
import { AgentError } from '../../shared/contract/index.ts';
import { resolveAppFolder } from '../apps/folders.ts';
import type { Program } from '../program.ts';
import { readVersion } from '../version.ts';
import { parseArguments, type Arguments } from './arguments.ts';
import { openBrowser } from './open-browser.ts';

const exitCodes = { done: 0, usage: 2, refused: 3, internal: 4 } as const;

/** Runs the command until it is interrupted. @returns its exit code */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    const parsed = parseArguments(args, await readVersion());
    if (parsed === undefined) return exitCodes.done;
    if (parsed.folder !== undefined) parsed.folder = await usable(parsed.folder);
    await runUntilInterrupted(parsed);
    return exitCodes.done;
  } catch (error) {
    return report(error);
  }
}

class UsageError extends Error {}

/** Checks the folder before anything starts, so that a mistyped name does not look like a start. */
async function usable(folder: string): Promise<string> {
  return await resolveAppFolder(folder).catch((error: unknown) => {
    throw error instanceof AgentError ? new UsageError(error.message) : error;
  });
}

async function runUntilInterrupted(parsed: Arguments): Promise<void> {
  const program = await start(parsed);
  if (program === undefined) return await showRunning(parsed);
  const app = parsed.folder === undefined ? undefined : await program.addFolder(parsed.folder);
  say(`Mustard agent: ${program.url}${app === undefined ? '' : `&app=${app}`}`);
  const isOpen = parsed.open && (await openBrowser(program.makeTicketUrl(app)));
  say(`${isOpen ? 'It opens in your browser.' : 'Open that address in your browser.'} Ctrl-C ends it.`);
  await interrupted(() => say('Ending. Answers that are under way are kept as they are.'));
  await program.close();
}

/** @returns `undefined` when another program has the data folder */
async function start({ data, port, newDatabase }: Arguments): Promise<Program | undefined> {
  // It is loaded only now, so that help and mistakes are answered fast.
  const { startProgram } = await import('../program.ts');
  try {
    return await startProgram({ dataDir: data, port });
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    if (error.code === 'already_running') return undefined;
    if (error.code !== 'database_corrupt' || !newDatabase) throw error;
    const { setAside } = await import('../database/open.ts');
    say(`The damaged database is kept as ${await setAside(join(data, 'agent.db'))}.`);
    return await startProgram({ dataDir: data, port });
  }
}

async function showRunning({ data, folder, open }: Arguments): Promise<void> {
  const { askRunning } = await import('../one-program.ts');
  const { origin, url } = await askRunning(data, folder);
  // Only the origin is printed and not the token, because the output of a second start may go anywhere.
  say(`Mustard agent is already running at ${origin}`);
  if (open && (await openBrowser(url))) say('It opens in your browser.');
  else say(`Open this address within five minutes: ${url}`);
}

function report(error: unknown): number {
  if (error instanceof CommanderError || error instanceof UsageError) {
    const message = error.message.replace(/^error: /, '');
    process.stderr.write(`mustard-agent: ${message}\n\`mustard-agent --help\` shows what there is.\n`);
    return exitCodes.usage;
  }
  process.stderr.write(`mustard-agent: ${error instanceof Error ? error.message : String(error)}\n`);
  return error instanceof AgentError ? exitCodes.refused : exitCodes.internal;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Resolves at Ctrl-C or another signal that ends a process. The next signal ends the process at once. */
async function interrupted(onFirst: () => void): Promise<void> {
  await new Promise<void>((resolve) => {
    let isFirst = true;
    for (const [name, exitCode] of Object.entries(signals)) {
      process.on(name, () => {
        if (!isFirst) process.exit(exitCode);
        isFirst = false;
        onFirst();
        resolve();
      });
    }
  });
}
