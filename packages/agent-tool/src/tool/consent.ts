import { messageOf, within } from '@mustard-sandbox/protocol';
import { SandboxError, type SandboxValue } from '@mustard-sandbox/client';
import type { DenialReason } from '../events.ts';
import type { ConsentFile } from './preview.ts';
import type { Settings } from './settings.ts';
import { askWithin } from './ask-within.ts';

/** A file that a tool would read or write. */
export interface ConsentFileAccess {
  action: 'read' | 'write';
  /** Relative to the folder, after links are resolved. */
  path: string;
  /** The complete text that would be written. */
  content?: string;
  /**
   * Why this write needs a question whatever was allowed before. It is a clause that completes "You are asked because
   * …".
   */
  why?: string;
}

/**
 * What a person is asked about: a script or a command of a shell before it runs, a call of a host function during a
 * run, or a file before a tool reads or writes it.
 */
export interface ConsentRequest {
  /** The id of the call in its events and its record. Absent before the call. */
  runId?: string;
  script: string;
  /** The model's description of the script. */
  description?: string;
  /** Short plain text for a dialog. */
  preview: string;
  /** Attachments that the script may read. */
  files: readonly ConsentFile[];
  /** The folder that the script may read in, absolute. */
  root?: string;
  /**
   * The host function that the script calls, with its arguments. Absent when the question is about the script itself.
   */
  hostFunction?: string;
  args?: readonly SandboxValue[];
  /** The command of a shell. `script` has the same text. Absent when the question is about a script. */
  command?: string;
  /** Present only when the question is about a file. `script` then is the call in words. */
  file?: ConsentFileAccess;
}

/** Allowed once, allowed for the life of the tool, or denied. */
export type ConsentAnswer = 'allow-once' | 'allow-always' | 'deny';

/**
 * Asks a person. One tool asks one question at a time. `signal` is aborted when the answer is no longer needed: close the
 * dialog then.
 */
export type ConsentFunction = (request: ConsentRequest, context: { signal: AbortSignal }) => Promise<ConsentAnswer>;

/** A denial: who denied the call, and why. */
export interface Denial {
  allowed: false;
  by: 'settings' | 'user' | 'error';
  reason: DenialReason;
  /** For the host, when asking failed: what the consent function threw or returned. */
  problem?: string;
}
/** Whether something may run. */
export type Decision = { allowed: true } | Denial;

interface GateOptions {
  readSettings: () => Pick<Settings, 'enabled' | 'consent'>;
  consent: ConsentFunction | undefined;
  /** How long one answer may take, in ms. */
  timeoutMs: number;
}

const byOfReason: Record<DenialReason, Denial['by']> = {
  disabled: 'settings',
  never: 'settings',
  declined: 'user',
  no_consent_function: 'error',
  consent_failed: 'error',
  consent_timeout: 'error',
  unknown_answer: 'error',
};

interface HowToAsk {
  /** The function that asks about this call, instead of the tool's own. */
  consent?: ConsentFunction | undefined;
  /** Called once when a person has to be asked, before the question waits for earlier ones. */
  asking?: () => void;
  /** Called at the same time as the question. If it rejects, its error ends the decision, and nobody is asked. */
  check?: () => Promise<void>;
}

/** Decides what may run, by the present settings, and by asking a person if the settings require it. */
export class ConsentGate {
  readonly #options: GateOptions;
  /** What was allowed for the life of the tool, by `subjectOf`. */
  readonly #always = new Set<string>();
  readonly #line = new Line();
  /** How many questions got no answer in time. */
  #unanswered = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /**
   * Whether a person would be asked about this now.
   *
   * @throws the error of reading the settings
   */
  mustAsk(request: ConsentRequest): boolean {
    return this.#withoutAsking(request) === undefined;
  }

  /** @throws {SandboxError} `cancelled` when the signal is aborted first, and the error of reading the settings */
  async decide(
    request: ConsentRequest,
    signal: AbortSignal,
    { consent = this.#options.consent, asking, check }: HowToAsk = {},
  ): Promise<Decision> {
    const known = this.#withoutAsking(request);
    if (known !== undefined) return known;
    if (consent === undefined) return denial('no_consent_function');
    asking?.();
    const askedAt = this.#unanswered;
    const checked = check?.() ?? Promise.resolve();
    const decision = this.#line.inTurn(signal, async () => {
      await checked;
      // While this question waited, an earlier one may have been answered with allow-always, or the settings may have
      // changed.
      const decidedSince = this.#withoutAsking(request);
      if (decidedSince !== undefined) return decidedSince;
      // Nobody answered the previous question. The questions behind it must not each wait as long.
      if (this.#unanswered !== askedAt) return denial('consent_timeout');
      const decision = await this.#ask(consent, request, signal);
      return decision.allowed ? (this.#refusedBySettings() ?? decision) : decision;
    });
    // A script that fails the check does not wait for its turn.
    const [, decided] = await Promise.all([checked, decision]);
    return decided;
  }

  /** Reads the settings at that moment, because they may change while a person thinks about the answer. */
  #refusedBySettings(): Denial | undefined {
    const { enabled, consent } = this.#options.readSettings();
    if (!enabled) return denial('disabled');
    return consent === 'never' ? denial('never') : undefined;
  }

  #withoutAsking(request: ConsentRequest): Decision | undefined {
    const refused = this.#refusedBySettings();
    if (refused !== undefined) return refused;
    const { consent } = this.#options.readSettings();
    const subject = subjectOf(request);
    // The setting covers scripts, which only read. A host function that asks may do anything, and so may a command.
    if (consent === 'always' && subject === '') return { allowed: true };
    return this.#always.has(subject) ? { allowed: true } : undefined;
  }

  async #ask(consent: ConsentFunction, request: ConsentRequest, signal: AbortSignal): Promise<Decision> {
    const { timeoutMs } = this.#options;
    let answer: unknown;
    try {
      answer = await askWithin((signal) => consent(request, { signal }), {
        signal,
        timeout: { ms: timeoutMs, error: () => new NoAnswer(`no answer within ${timeoutMs} ms`) },
      });
    } catch (error) {
      if (signal.aborted && error instanceof SandboxError && error.code === 'cancelled') throw error;
      if (!(error instanceof NoAnswer)) return denial('consent_failed', messageOf(error));
      this.#unanswered++;
      return denial('consent_timeout', messageOf(error));
    }
    if (answer === 'allow-always') this.#always.add(subjectOf(request));
    if (answer === 'allow-always' || answer === 'allow-once') return { allowed: true };
    return answer === 'deny' ? denial('declined') : denial('unknown_answer', messageOf(answer));
  }
}

/**
 * What an allow-always covers: all scripts (`''`), one host function, one exact command, all reads of files, or all
 * writes of files. For a file that runs by itself it covers only this exact content.
 */
function subjectOf({ hostFunction, command, file, script }: ConsentRequest): string {
  if (command !== undefined) return `$ ${command}`;
  if (file === undefined) return hostFunction ?? '';
  return file.why === undefined ? `${file.action} files` : `${file.action} ${script}`;
}

class NoAnswer extends Error {}

function denial(reason: DenialReason, problem?: string): Denial {
  return { allowed: false, by: byOfReason[reason], reason, ...(problem !== undefined && { problem }) };
}

/** What the model is told. It should neither try again nor look for a fault in its script. */
export function describeDenial(reason: DenialReason, what = 'this script'): string {
  // A replacement function is used, because `$` has a meaning in a replacement text, and function names may contain it.
  return `Not allowed: ${whyDenied[reason].replace('{what}', () => what)}`;
}

const askUser = 'Do not try it again in this turn: go on without it, or ask the user how to proceed.';
const whyDenied: Record<DenialReason, string> = {
  disabled: 'scripts are turned off in the settings. Do not call this tool again: go on without it.',
  never: 'the settings never allow scripts to run. Do not call this tool again: go on without it.',
  declined: `the user declined {what}. Nothing is wrong with it. ${askUser}`,
  no_consent_function: `{what} needs the consent of the user, and this application cannot ask for it. ${askUser}`,
  consent_failed: `{what} needs the consent of the user, and asking for it failed. ${askUser}`,
  consent_timeout: `{what} needs the consent of the user, who did not answer. ${askUser}`,
  unknown_answer: `{what} needs the consent of the user, and asking for it failed. ${askUser}`,
};

/** Runs one piece of work at a time, in the order of the calls. */
class Line {
  #last: Promise<void> = Promise.resolve();

  /** @throws {SandboxError} `cancelled` when the signal is aborted before its turn; and the error of `work` */
  async inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let leave = (): void => {};
    const done = new Promise<void>((resolve) => (leave = resolve));
    this.#last = before.then(() => done);
    try {
      await within(before, { signal });
      return await work();
    } finally {
      leave();
    }
  }
}
