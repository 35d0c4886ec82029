import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** How many lines are kept from one session to the next. */
export const maxHistory = 1000;

/** The path of the history, by the rules of the XDG base directories; on Windows beside other local data. */
export function historyFile(env: NodeJS.ProcessEnv = process.env, platform: string = process.platform): string {
  const local = env['LOCALAPPDATA'];
  if (platform === 'win32' && local !== undefined) return join(local, 'mustard-sandbox', 'repl-history');
  const state = env['XDG_STATE_HOME'];
  // The specification says that a relative path must be ignored.
  const folder = state !== undefined && isAbsolute(state) ? state : join(homedir(), '.local', 'state');
  return join(folder, 'mustard-sandbox', 'repl-history');
}

/** The lines of earlier sessions, in a file that only its owner may read, because scripts may hold secrets. */
export class History {
  /** Oldest first. */
  readonly lines: string[];
  readonly #file: string;
  readonly #onFailure: (error: Error) => void;
  #broken = false;

  /** @param onFailure called once when the file cannot be read or written; after that nothing more is tried */
  constructor(file: string, onFailure: (error: Error) => void) {
    this.#file = file;
    this.#onFailure = onFailure;
    this.lines = this.#attempt(() => this.#load()) ?? [];
  }

  add(line: string): void {
    // It is appended at once, so that no line is lost when several sessions are open or one is killed.
    if (line.trim() !== '') this.#attempt(() => appendFileSync(this.#file, `${line}\n`, { mode: 0o600 }));
  }

  #load(): string[] {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    appendFileSync(this.#file, '', { mode: 0o600 });
    chmodSync(this.#file, 0o600);
    const lines = readFileSync(this.#file, 'utf8').split('\n').slice(0, -1);
    if (lines.length <= maxHistory) return lines;
    const kept = lines.slice(-maxHistory);
    writeFileSync(this.#file, kept.map((line) => `${line}\n`).join(''), { mode: 0o600 });
    return kept;
  }

  #attempt<T>(work: () => T): T | undefined {
    if (this.#broken) return undefined;
    try {
      return work();
    } catch (error) {
      this.#broken = true;
      this.#onFailure(error as Error);
      return undefined;
    }
  }
}
