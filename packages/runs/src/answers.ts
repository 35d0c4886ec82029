import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostError } from '@mustard-sandbox/client';
import type { LargeAnswers } from './policy.ts';
import type { CallFacts, KeptFile, StoredCall } from './store/store.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
/** The largest answer that a script gets as a value, in bytes of JSON. */
const mostInline = MiB;
const overBytesByDefault = 64 * KiB;
const mostBytesByDefault = 64 * MiB;
const previewLength = 500;

/** The answers to the calls of a run. */
export class Answers {
  readonly #large: Required<LargeAnswers> | undefined;

  constructor(large: LargeAnswers | undefined) {
    this.#large = large && { overBytes: overBytesByDefault, mostBytes: mostBytesByDefault, ...large };
  }

  /**
   * Adds the answer of its tool to a call. A large answer goes into a file. An answer that is too large, or not JSON,
   * becomes an error.
   */
  async to(run: string, call: StoredCall, ended: { value: unknown } | { error: HostError }): Promise<StoredCall> {
    if ('error' in ended) return withAnswer(call, ended, {});
    const text = textOf(ended.value);
    if (text === undefined) {
      const message = `${call.tool}() was done, but its answer is not JSON.`;
      return withAnswer(call, { error: { name: 'TypeError', message } }, {});
    }
    const bytes = Buffer.byteLength(text);
    const facts = { answerBytes: bytes, answerHash: createHash('sha256').update(text).digest('hex') };
    const { overBytes = mostInline, mostBytes = mostInline } = this.#large ?? {};
    if (bytes > mostBytes) return withAnswer(call, { error: tooLarge(call, bytes, mostBytes) }, facts);
    if (bytes <= Math.min(overBytes, mostInline))
      return withAnswer(call, { value: JSON.parse(text) as unknown }, facts);
    const file = await this.#keep(run, call, ended.value);
    const value = { attachment: `attachments:${file.name}`, bytes: file.bytes, preview: text.slice(0, previewLength) };
    return withAnswer(call, { value }, { ...facts, file });
  }

  /** The path of a file of a run. */
  pathOf(run: string, { name }: KeptFile): string {
    return join(this.#folderOf(run), name);
  }

  /** Removes the files of a run that has ended. */
  async forget(run: string): Promise<void> {
    if (this.#large !== undefined) await rm(this.#folderOf(run), { recursive: true, force: true });
  }

  #folderOf(run: string): string {
    return join(this.#large?.folder ?? '', run);
  }

  async #keep(run: string, { id, tool }: StoredCall, value: unknown): Promise<KeptFile> {
    const isText = typeof value === 'string';
    const content = isText ? value : inLines(value);
    const name = `answer-${id}-${tool.replaceAll(/[.$]/g, '_')}.${isText ? 'txt' : 'json'}`;
    const file = {
      name,
      bytes: Buffer.byteLength(content),
      sha256: createHash('sha256').update(content).digest('hex'),
    };
    await mkdir(this.#folderOf(run), { recursive: true, mode: 0o700 });
    await writeFile(this.pathOf(run, file), content, { mode: 0o600, flush: true });
    return file;
  }
}

/** JSON in lines, so that `search` and `lines` give one item or field at a time. */
function inLines(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value, null, 1);
  return `[\n${value.map((item) => JSON.stringify(item) ?? 'null').join(',\n')}\n]\n`;
}

/** JSON has no `undefined`, so a tool that returns nothing gives `null`. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value ?? null);
  } catch {
    return undefined;
  }
}

function withAnswer(call: StoredCall, answer: object, facts: Partial<CallFacts>): StoredCall {
  const now = { ...call.facts, ...facts, answeredAt: Date.now() };
  return { ...call, state: 'answered', answer: JSON.stringify(answer), facts: now };
}

function tooLarge({ tool }: StoredCall, bytes: number, most: number): HostError {
  const message = `${tool}() was done, but gave ${bytes} bytes of JSON, over the limit of ${most}. Ask it for less.`;
  return { name: 'RangeError', message, code: 'limit_exceeded' };
}
