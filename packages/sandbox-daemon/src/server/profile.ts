import type { Outcome } from '../engine/interface.ts';
import { maxProfiledCalls, type ProfiledCall, type RunProfile, type SandboxValue } from '@mustard-sandbox/protocol';
import { RawJson } from '@mustard-sandbox/protocol/sidecar';

const shownPathCharacters = 200;

/** A point in a run. */
interface Mark {
  ms: number;
  instructions: number;
}

type Totals = RunProfile['capabilities'][number];

/** Measures one run, call by call. It is made only for a run that asks for it. */
export class Profiler {
  readonly #totals = new Map<string, Totals>();
  readonly #calls: ProfiledCall[] = [];
  #callCount = 0;
  /** The point at which the script last got control. */
  #resumed: Mark = { ms: performance.now(), instructions: 0 };
  /** The present call, and when it began. */
  #call: { facts: ProfiledCall; startedMs: number } | undefined;

  /** The script called `name` after `instructions` since its start. */
  called(name: string, args: SandboxValue[], instructions: number): void {
    const now = performance.now();
    const [path] = isConsole(name) ? [] : args;
    this.#call = {
      startedMs: now,
      facts: {
        name,
        ...(typeof path === 'string' && { path: path.slice(0, shownPathCharacters) }),
        ms: 0,
        bytes: 0,
        scriptMs: now - this.#resumed.ms,
        instructions: instructions - this.#resumed.instructions,
      },
    };
    this.#resumed = { ms: now, instructions };
  }

  /** The call has ended. A call without an outcome ended the run. */
  answered(outcome?: Outcome): void {
    if (this.#call === undefined) return;
    const { facts, startedMs } = this.#call;
    const now = performance.now();
    facts.ms = now - startedMs;
    if (outcome !== undefined && !isConsole(facts.name)) facts.bytes = bytesOf(outcome);
    this.#add(facts);
    this.#call = undefined;
    this.#resumed.ms = performance.now();
  }

  /** The measurements. `instructions` is the number that is known so far. */
  result(instructions: number): RunProfile {
    this.answered();
    return {
      capabilities: [...this.#totals.values()],
      rest: {
        scriptMs: performance.now() - this.#resumed.ms,
        instructions: Math.max(0, instructions - this.#resumed.instructions),
      },
      calls: this.#calls,
      callsLeftOut: this.#callCount - this.#calls.length,
    };
  }

  #add(facts: ProfiledCall): void {
    const { name, ms, bytes, scriptMs, instructions } = facts;
    const totals = this.#totals.get(name) ?? {
      name,
      calls: 0,
      ms: 0,
      maxMs: 0,
      bytes: 0,
      scriptMs: 0,
      instructions: 0,
    };
    this.#totals.set(name, totals);
    totals.calls++;
    totals.ms += ms;
    totals.maxMs = Math.max(totals.maxMs, ms);
    totals.bytes += bytes;
    totals.scriptMs += scriptMs;
    totals.instructions += instructions;
    this.#callCount++;
    if (this.#calls.length < maxProfiledCalls) this.#calls.push(facts);
  }
}

function isConsole(name: string): boolean {
  return name.startsWith('console.');
}

function bytesOf(outcome: Outcome): number {
  if ('text' in outcome) return outcome.text.length;
  if (!('value' in outcome)) return 0;
  const value: unknown = 'json' in outcome.value ? outcome.value.json : outcome.value.tagged;
  return value instanceof RawJson ? value.length : Buffer.byteLength(JSON.stringify(value) ?? '');
}
