import { SandboxError } from '@mustard-sandbox/client';
import { printable } from '@mustard-sandbox/protocol/text';
import { exitCodes } from '../../exit-code.ts';
import { failureOf } from '../../failure.ts';
import { styled, writeLine } from '../../output.ts';
import { Progress } from '../../progress.ts';
import { failureReport, printJson, type Report } from '../../report.ts';
import { jsonOf } from '../run/report.ts';
import { describeStatistics } from '../../statistics.ts';
import { isCommand, runCommand } from './commands.ts';
import { mayChangeSomething } from './effects.ts';
import type { Lines } from './lines.ts';
import type { Session } from './session.ts';
import { showValue } from './show.ts';

export interface ReplOptions {
  session: Session;
  onTerminal: boolean;
  json: boolean;
  quiet: boolean;
  remember: (line: string) => void;
}

/** What to do about a limit in a session. */
const hints: Record<string, string> = {
  timeout_ms: 'more time: .limits timeout 10s. What is kept is run again each time: .script shows it',
  instructions: 'more instructions: .limits instructions 1G. What is kept is run again each time: .script shows it',
  heap_bytes: 'more memory: .limits heap 128mb',
  script_bytes: 'the session is one script, and it is full: .undo or .reset',
};

const lost = 'This input is not kept, because nothing can follow it: it ends with a return.';

/** Reads, runs and prints until the end of input. */
export class Repl {
  readonly #options: ReplOptions;
  #running: AbortController | undefined;
  /** The lines of an unfinished input. */
  #typed: string[] = [];
  /** Whether Ctrl-C was typed on an empty line. The next one then ends the session. */
  #warned = false;
  #left = false;
  /** The exit code of the first input that failed. */
  #exitCode: number = exitCodes.done;

  constructor(options: ReplOptions) {
    this.#options = options;
  }

  /** Stops the run. Returns `false` when there is none. */
  interrupt(): boolean {
    const wasRunning = this.#running !== undefined;
    this.#running?.abort();
    return wasRunning;
  }

  /** @returns the exit code; on a terminal it is 0, because a person has seen what failed */
  async run(lines: Lines): Promise<number> {
    const { onTerminal, remember } = this.#options;
    while (!this.#left) {
      if (onTerminal) lines.prompt(this.#promptText());
      const event = await lines.next();
      if (event.type === 'interrupt') this.#interruptLine(lines);
      else if (event.type === 'end') await this.#end();
      else {
        this.#warned = false;
        if (onTerminal) remember(event.text);
        await this.#take(event.text);
      }
    }
    return onTerminal ? exitCodes.done : this.#exitCode;
  }

  async #take(line: string): Promise<void> {
    if (this.#typed.length === 0 && line.trim() === '') return;
    if (this.#typed.length === 0 && isCommand(line))
      return await this.#attempt((signal) => this.#command(line, signal));
    const input = [...this.#typed, line].join('\n');
    await this.#attempt(async (signal) => {
      if (await this.#options.session.isUnfinished(input)) {
        this.#typed.push(line);
        return undefined;
      }
      this.#typed = [];
      return await this.#evaluate(input, signal);
    });
  }

  async #end(): Promise<void> {
    this.#left = true;
    if (this.#options.onTerminal) return writeLine(process.stdout, '\n');
    // The input ended before it was complete, so the compiler says what is missing.
    const input = this.#typed.join('\n');
    if (input !== '') await this.#attempt((signal) => this.#evaluate(input, signal));
  }

  #interruptLine(lines: Lines): void {
    const hadText = lines.typed !== '' || this.#typed.length > 0;
    lines.clear();
    this.#typed = [];
    writeLine(process.stdout, '\n');
    if (this.#warned && !hadText) this.#left = true;
    else if (!hadText) writeLine(process.stderr, styled(process.stderr, 'dim', 'Ctrl-C again leaves, as Ctrl-D does'));
    this.#warned = !hadText;
  }

  /** Does work that can be cancelled and can fail, and prints the outcome. */
  async #attempt(work: (signal: AbortSignal) => Promise<Report | undefined>): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    let report: Report | undefined;
    try {
      report = await work(running.signal);
    } catch (error) {
      this.#typed = [];
      report = this.#failed(error, running.signal);
    } finally {
      this.#running = undefined;
    }
    if (report === undefined) return;
    this.#exitCode ||= report.exitCode;
    if (!this.#options.json) report.print();
    else if (report.json !== undefined) printJson(report.json);
  }

  async #command(line: string, signal: AbortSignal): Promise<Report> {
    return await runCommand(line, {
      session: this.#options.session,
      signal,
      evaluate: (script) => this.#evaluate(script, signal),
      leave: () => (this.#left = true),
    });
  }

  async #evaluate(input: string, signal: AbortSignal): Promise<Report> {
    const { session, quiet } = this.#options;
    using progress = new Progress('running', { quiet });
    const onConsole = ({ text }: { text: string }): void => progress.writeLine(process.stderr, printable(text));
    const result = await session.run(input, { signal, ...(!quiet && { onConsole }) });
    return {
      json: jsonOf(result),
      print() {
        // A declaration has no value to show.
        const isShown = result.value !== undefined || !mayChangeSomething(input);
        if (isShown) writeLine(process.stdout, showValue(result.value, process.stdout));
        if (quiet) return;
        writeLine(process.stderr, styled(process.stderr, 'dim', describeStatistics(result)));
        if (result.isLost) writeLine(process.stderr, styled(process.stderr, 'yellow', lost));
      },
      exitCode: exitCodes.done,
    };
  }

  #failed(error: unknown, signal: AbortSignal): Report {
    if (!(error instanceof SandboxError)) return failureReport(failureOf(error, signal.aborted ? 'Ctrl-C' : undefined));
    const { code, message, details } = error;
    const frame = details.frame && this.#options.session.withoutMark(details.frame);
    const hint = hints[details.limit ?? ''];
    return failureReport({
      code,
      message,
      details: { ...details, ...(frame !== undefined && { frame }) },
      ...(hint !== undefined && { hint }),
    });
  }

  /** The prompt, with the number that the line will have in errors. */
  #promptText(): string {
    const first = this.#options.session.nextLine;
    if (this.#typed.length === 0) return `${first}> `;
    return `${String(first + this.#typed.length).padStart(String(first).length)}. `;
  }
}
