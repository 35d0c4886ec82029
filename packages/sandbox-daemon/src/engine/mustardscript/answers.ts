import { Buffer } from 'node:buffer';
import { limitAdvice, limitTable, SandboxError, type SandboxValue } from '@mustard-sandbox/protocol';
import type { Calls, Outcome, Setup } from '../interface.ts';

/**
 * Answers the calls of one script. In this language, answers in pieces and answers with extra properties become plain
 * lists.
 */
export class Answers {
  /** How many loops over lines the script has begun. */
  loops = 0;
  readonly #heapBytes: number;

  constructor({ limits }: Setup) {
    this.#heapBytes = limits.heapBytes;
  }

  to(name: string, args: SandboxValue[], calls: Calls): Outcome {
    if (name === 'lines') return allLines(calls, args, ++this.loops, this.#heapBytes);
    const outcome = calls.call(name, args);
    return name === 'search' ? onlyFound(outcome) : outcome;
  }
}

/** A list of this language has no properties of its own, so the list does not tell that a search was cut short. */
function onlyFound(outcome: Outcome): Outcome {
  if (!('value' in outcome)) return outcome;
  const { value } = outcome;
  const answer = ('json' in value ? value.json : value.tagged) as { found?: unknown } | null;
  if (typeof answer !== 'object' || answer === null || !('found' in answer)) return outcome;
  return { value: 'json' in value ? { json: answer.found } : { tagged: answer.found } };
}

/** All lines of a file, because the language has no loop over lines that have not been read yet. */
function allLines(calls: Calls, [path, options]: SandboxValue[], loop: number, heapBytes: number): Outcome {
  const batches: Buffer[] = [];
  for (let bytes = 0; ;) {
    const outcome = calls.call('lines', [path, options, loop]);
    if (!('lines' in outcome)) return outcome;
    if (outcome.lines.length === 0) return { lines: Buffer.concat(batches) };
    bytes += outcome.lines.length;
    if (bytes > heapBytes) throw tooMuch(heapBytes);
    // This is a copy, because the next lines may be read into the same memory.
    batches.push(Buffer.from(outcome.lines));
  }
}

function tooMuch(value: number): SandboxError {
  const { name, unit } = limitTable.heapBytes;
  const message = `The lines of the file are more than the ${value} ${unit} that the script may hold (${name}). `;
  return new SandboxError('limit_exceeded', message + limitAdvice('heapBytes'), {
    details: { limit: name, value, unit },
  });
}
