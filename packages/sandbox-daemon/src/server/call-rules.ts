import {
  SandboxError,
  limitAdvice,
  limitTable,
  maxValueBytes,
  type Limits,
  type SandboxValue,
  type WireValue,
} from '@mustard-sandbox/protocol';
import { encodeLeaving } from '@mustard-sandbox/protocol/sidecar';
import { tooLong } from './value-size.ts';

/** Which calls of host functions a script may make, and how many it has made. */
export class CallRules {
  made: number;
  readonly #names: readonly string[];
  readonly #limits: Limits;

  /** @param made in earlier segments of the run */
  constructor({ hostFunctions, limits }: { hostFunctions: readonly string[]; limits: Limits }, made = 0) {
    this.#names = hostFunctions;
    this.#limits = limits;
    this.made = made;
  }

  /** @throws {SandboxError} `limit_exceeded` */
  count(name: string): void {
    const { hostCalls } = this.#limits;
    if (++this.made <= hostCalls) return;
    throw new SandboxError(
      'limit_exceeded',
      `${name}(): the script has called host functions ${hostCalls} times (host_calls). ${limitAdvice('hostCalls')}`,
      { details: { capability: name, limit: limitTable.hostCalls.name, value: hostCalls, unit: 'calls' } },
    );
  }

  /** @throws {SandboxError} `limit_exceeded` when one more pending call would be too many */
  assertRoom(underWay: number): void {
    const value = this.#limits.outstandingHostCalls;
    if (underWay < value) return;
    throw new SandboxError(
      'limit_exceeded',
      `More than ${value} calls of host functions are pending. ${limitAdvice('outstandingHostCalls')}`,
      { details: { limit: limitTable.outstandingHostCalls.name, value, unit: 'calls' } },
    );
  }

  /** The arguments for the wire. @throws {SandboxError} `invalid_request`, `limit_exceeded` */
  encode(name: string, args: SandboxValue[]): WireValue {
    if (!this.#names.includes(name)) throw new SandboxError('invalid_request', `There is no function ${name}().`);
    return encodeLeaving(args, `The arguments of ${name}()`, (bytes) =>
      tooLong(`The arguments of ${name}() are`, 'argument_bytes', maxValueBytes, bytes),
    );
  }
}
