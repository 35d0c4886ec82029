/** True if `argument & mask` equals `equals`. Arguments count from 0, and only their lower 32 bits are tested. */
export interface Test {
  argument: number;
  mask?: number;
  equals: number;
}

/**
 * Refuses a system call. With `if`, it refuses only when one of the tests is true; with `unless`, only when none is.
 * With `as`, the call fails with ENOSYS or EOPNOTSUPP instead of EPERM.
 */
export interface Rule {
  number: number;
  if?: readonly Test[];
  unless?: readonly Test[];
  as?: 'missing' | 'unsupported';
}

const load = 0x20; // BPF_LD | BPF_W | BPF_ABS
const ifEqual = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const ifAtLeast = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const and = 0x54; // BPF_ALU | BPF_AND | BPF_K
const answer = 0x06; // BPF_RET | BPF_K

const numberOffset = 0; // of struct seccomp_data
const processorOffset = 4;
const argumentsOffset = 16;
const argumentBytes = 8;

const allowed = 0x7fff0000; // SECCOMP_RET_ALLOW
const notPermitted = 0x00050001; // SECCOMP_RET_ERRNO | EPERM
const notThere = 0x00050026; // SECCOMP_RET_ERRNO | ENOSYS
const notSupported = 0x0005005f; // SECCOMP_RET_ERRNO | EOPNOTSUPP

/** From this number on, x86-64 repeats its calls for x32. No other processor uses numbers this high. */
const x32Calls = 0x40000000;

/**
 * A program for the kernel's seccomp, in classic BPF. Each instruction has 8 bytes, little-endian like both processors.
 * Calls without a rule are allowed. Calls with the numbers of another processor than `audit` are refused.
 */
export function assemble(audit: number, rules: readonly Rule[]): Buffer {
  return Buffer.concat([
    instruction(load, processorOffset),
    instruction(ifEqual, audit, 1, 0),
    instruction(answer, notPermitted),
    instruction(load, numberOffset),
    instruction(ifAtLeast, x32Calls, 0, 1),
    instruction(answer, notPermitted),
    ...rules.flatMap(blockOf),
    instruction(answer, allowed),
  ]);
}

/** The next block needs the number of the call, so a block that loads anything else must end with an answer. */
function blockOf({ number, if: refusing, unless: allowing, as }: Rule): Buffer[] {
  const refusal = instruction(
    answer,
    as === undefined ? notPermitted : { missing: notThere, unsupported: notSupported }[as],
  );
  const permission = instruction(answer, allowed);
  const checks = (refusing ?? allowing ?? []).flatMap(({ argument, mask = 0xffffffff, equals }) => [
    instruction(load, argumentsOffset + argument * argumentBytes),
    instruction(and, mask),
    instruction(ifEqual, equals, 0, 1),
    refusing === undefined ? permission : refusal,
  ]);
  const block = [...checks, refusing === undefined ? refusal : permission];
  return [instruction(ifEqual, number, 0, block.length), ...block];
}

/** Jumps are given as the number of instructions to skip. */
function instruction(code: number, operand: number, skipIfTrue = 0, skipIfFalse = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(skipIfTrue, 2);
  bytes.writeUInt8(skipIfFalse, 3);
  bytes.writeUInt32LE(operand, 4);
  return bytes;
}
