import { startProcess } from '@mustard-sandbox/client/isolation';
import { AgentError } from '../../../shared/contract/index.ts';

/** What git, ssh and a credential helper need: keys of models are none of their business. */
const passedOn =
  /^(?:path|home|userprofile|appdata|localappdata|programdata|systemroot|comspec|pathext|tmpdir|temp|tmp|lang|user|username|logname|xdg_.*|(?:https?|no|all)_proxy|ssl_cert_.*|git_ssl_.*|git_ssh|git_ssh_command|git_ssh_variant|git_config_global|git_config_nosystem|ssh_auth_sock|ssh_agent_pid|dbus_session_bus_address|gnupghome)$/i;

export interface RunLimits {
  /** In ms, for one call of git. */
  timeoutMs: number;
  /** In ms without a word of git: it prints its progress while there is any. */
  silenceMs: number;
}
export const usualLimits: RunLimits = { timeoutMs: 30 * 60_000, silenceMs: 90_000 };
const maxOutput = 4 * 1024 * 1024;
const keptOfErrors = 8000;

interface Run {
  limits?: RunLimits;
  signal?: AbortSignal | undefined;
  /** Hears each line of what git says of its progress. */
  onProgress?: ((line: string) => void) | undefined;
  /** Asked every half second; an error that it gives ends git. */
  watch?: () => Promise<Error | undefined>;
}

export interface ProgramRun extends Run {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** What it reads. Default: nothing. */
  input?: string;
}

export interface GitRun extends Run {
  /** The repository, which is one of ours; absolute. */
  folder: string;
  /** Settings of git, over those of the person. */
  settings: Readonly<Record<string, string>>;
  env?: Readonly<Record<string, string>>;
}

export interface GitEnd {
  code: number;
  stdout: string;
  /** The end of it. */
  stderr: string;
}

/**
 * Runs the git that is installed, in a repository of ours. What it would ask for, it fails without.
 *
 * @throws {AgentError} `not_found` when git is not installed, `limit_exceeded`; what `signal` was aborted with
 */
export async function runGit(args: readonly string[], { folder, settings, env, ...run }: GitRun): Promise<GitEnd> {
  const all = { ...personsEnvironment(), ...settingsAsEnvironment(settings), ...quiet, GIT_DIR: folder, ...env };
  return await runProgram(['git', ...args], { ...run, cwd: folder, env: all });
}

/** Runs a program of the person's that speaks with a server. @throws {AgentError} as `runGit` */
export async function runProgram(command: readonly string[], run: ProgramRun): Promise<GitEnd> {
  const { cwd, env, input, signal } = run;
  signal?.throwIfAborted();
  const options = {
    cwd,
    env,
    stdio: [input === undefined ? ('ignore' as const) : ('pipe' as const), 'pipe' as const, 'pipe' as const],
    // In a group of its own, which ends as a whole, and without a terminal on which ssh could ask.
    detached: process.platform !== 'win32',
  };
  let notStarted: Error | undefined;
  const child = startProcess(command, options, (error) => (notStarted = explained(error, command[0] ?? '')));
  // It may end before it has read all of it. Its exit tells.
  child?.stdin?.on('error', () => {}).end(input);
  return await new Promise((resolve, reject) => {
    if (child === undefined) {
      // The error comes with the next turn.
      setImmediate(() => reject(notStarted ?? new AgentError('internal', `${command[0]} could not be started.`)));
      return;
    }
    let [stdout, stderr] = ['', ''];
    const guard = new Guard(child, run);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      guard.heard();
      if (stdout.length > maxOutput)
        guard.end(new AgentError('limit_exceeded', `${command[0]} said more than is read here.`));
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      guard.heard();
      stderr = (stderr + text).slice(-keptOfErrors);
      for (const line of text.split(/[\r\n]+/)) if (line !== '') run.onProgress?.(line);
    });
    child.once('close', (code) => {
      guard.stop();
      const why = guard.why ?? notStarted;
      if (why !== undefined) reject(why);
      else resolve({ code: code ?? -1, stdout, stderr });
    });
  });
}

/** Ends a process that takes too long, falls silent, grows too much, or is not wanted any more. The first reason holds. */
class Guard {
  why: Error | undefined;
  readonly #pid: number | undefined;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #signal: AbortSignal | undefined;
  readonly #silence: NodeJS.Timeout;
  readonly #aborted = (): void => this.end(this.#signal?.reason as Error);

  constructor({ pid }: { pid?: number | undefined }, { limits = usualLimits, signal, watch }: Run) {
    this.#pid = pid;
    this.#signal = signal;
    const tooLong = (ms: number, what: string) => (): void => {
      this.end(
        new AgentError('limit_exceeded', `${what} ${Math.round(ms / 1000)} s, so it was ended. Try again later.`),
      );
    };
    this.#silence = setTimeout(tooLong(limits.silenceMs, 'The server sent nothing for'), limits.silenceMs);
    this.#timers.push(setTimeout(tooLong(limits.timeoutMs, 'It took longer than'), limits.timeoutMs));
    if (watch !== undefined) {
      const look = async (): Promise<void> => {
        const error = await watch();
        if (error !== undefined) this.end(error);
      };
      this.#timers.push(setInterval(() => void look(), 500));
    }
    signal?.addEventListener('abort', this.#aborted, { once: true });
    if (signal?.aborted === true) this.#aborted();
  }

  heard(): void {
    this.#silence.refresh();
  }

  end(why: Error): void {
    this.why ??= why;
    if (this.#pid === undefined) return;
    try {
      process.kill(process.platform === 'win32' ? this.#pid : -this.#pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }

  stop(): void {
    clearTimeout(this.#silence);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#signal?.removeEventListener('abort', this.#aborted);
  }
}

/** Asks nothing, in words that are read here, and fetches nothing that was not asked for. */
const quiet = {
  GIT_TERMINAL_PROMPT: '0',
  GCM_INTERACTIVE: 'never',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
};

/** The environment of this program, as programs of the person's that speak with servers get it. */
export function personsEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => passedOn.test(key)));
}

/** Not as arguments, which every user of the machine can read. */
function settingsAsEnvironment(settings: GitRun['settings']): Record<string, string> {
  const entries = Object.entries(settings);
  const numbered = entries.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(entries.length), ...(Object.fromEntries(numbered) as Record<string, string>) };
}

function explained(error: Error, name: string): Error {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return error;
  const message = `${name} is not installed. Install it to work with servers and to merge branches.`;
  return new AgentError('not_found', message, { cause: error });
}
