import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { onTestFinished, vi } from 'vitest';
import { isPosix, main, makeFolder } from './support.ts';

const bridge = fileURLToPath(new URL('../fixtures/terminal.py', import.meta.url));
const look = 'import pty, sys; assert sys.version_info >= (3, 9); print(sys.executable)';
const { status, stderr, stdout } = spawnSync('python3', ['-c', look], { encoding: 'utf8' });
/** By its path: `python3` may be a script of pyenv that looks for it, which takes seven times as long as to start it. */
const python = stdout?.trim();

/** Why there are no terminals here, if so. */
export const noTerminal = isPosix && status === 0 ? undefined : `needs python3 with its pty module: ${stderr}`;
if (noTerminal !== undefined) console.warn(`Not tested on a terminal: ${noTerminal}`);

export interface TerminalOptions {
  cwd?: string;
  columns?: number;
  env?: Record<string, string>;
  /** Instead of the command. */
  program?: string[];
  /** When it is killed, if it still runs, and its folder removed: after the test. */
  onEnd?: (end: () => void) => void;
}

/** The command on a real terminal. */
export class Terminal {
  /** Everything that it has shown so far; escapes are `<ESC>`. */
  shown = '';
  readonly #subprocess;
  #seen = 0;

  constructor(
    args: string[],
    {
      onEnd = onTestFinished,
      cwd = makeFolder({}, onEnd),
      columns = 80,
      env = {},
      program = [process.execPath, main],
    }: TerminalOptions = {},
  ) {
    this.#subprocess = execa(python, ['-ISB', bridge, '24', String(columns), ...program, ...args], {
      cwd,
      env: { TERM: 'xterm', XDG_STATE_HOME: `${cwd}/state`, NO_COLOR: '', FORCE_COLOR: undefined, ...env },
      reject: false,
      buffer: false,
      stdin: 'pipe',
    });
    this.#subprocess.stdout.on('data', (chunk) => (this.shown += String(chunk).replaceAll('\u001b', '<ESC>')));
    onEnd(() => void this.#subprocess.kill('SIGKILL'));
  }

  send(text: string): void {
    this.#subprocess.stdin.write(`${JSON.stringify({ send: text })}\n`);
  }

  resize(columns: number): void {
    this.#subprocess.stdin.write(`${JSON.stringify({ resize: [24, columns] })}\n`);
  }

  /** Waits until `pattern` is shown after what was waited for before. */
  async see(pattern: string | RegExp): Promise<string> {
    return await vi.waitFor(
      () => {
        const text = this.shown.slice(this.#seen);
        const match = typeof pattern === 'string' ? text.indexOf(pattern) : text.search(pattern);
        if (match < 0) throw new Error(`${String(pattern)} is not in ${JSON.stringify(text)}`);
        const length = typeof pattern === 'string' ? pattern.length : (pattern.exec(text)?.[0].length ?? 0);
        this.#seen += match + length;
        return text.slice(0, match + length);
      },
      { timeout: 120_000 },
    );
  }

  /** Types a line, and waits for what it shows. */
  async type(line: string, expected: string | RegExp): Promise<string> {
    this.send(`${line}\r`);
    return await this.see(expected);
  }

  /** Leaves a session, and gives its exit code. */
  async leave(): Promise<number | undefined> {
    this.send(ctrlD);
    return await this.exitCode();
  }

  async exitCode(): Promise<number | undefined> {
    return (await this.#subprocess).exitCode;
  }
}

export const ctrlC = '\u0003';
export const ctrlD = '\u0004';
export const up = '\u001b[A';
