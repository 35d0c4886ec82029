import { spawnSync } from 'node:child_process';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { systemCallFilter } from '../../packages/sandbox-client/src/isolation/system-calls.ts';
import { noJail } from './support.ts';

const isX64 = process.arch === 'x64';
const hasPython = spawnSync('python3', ['--version']).status === 0;

/** What the kernel knows the calls by, from its own tables: x86-64, and the one that all newer processors share. */
const numbers = isX64
  ? { socket: 41, socketpair: 53, add_key: 248, request_key: 249, keyctl: 250, io_uring_setup: 425, getppid: 110 }
  : { socket: 198, socketpair: 199, add_key: 217, request_key: 218, keyctl: 219, io_uring_setup: 425, getppid: 173 };

/** Each of these calls fails by itself as well, with another error, but for sockets and `getppid`. */
const caller = `
import ctypes, json, sys
libc = ctypes.CDLL(None, use_errno=True)
told = {}
for name, number in json.loads(sys.argv[1]).items():
    ctypes.set_errno(0)
    pair = ctypes.create_string_buffer(64)
    libc.syscall(number, 1, 1, 0, pair, 0)
    told[name] = ctypes.get_errno()
print(json.dumps(told))
`;

/** The 32-bit way into the kernel, where call 20 is \`getpid\`. */
const otherProcessor = `
import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=7)
code.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))())
`;

async function inFilter(filter: Buffer | undefined, ...args: string[]): Promise<string> {
  const jail = ['/usr/bin/env', 'bwrap', '--dev-bind', '/', '/', ...(filter ? ['--seccomp', '3'] : []), '--'];
  const [file = '', ...rest] = [...jail, 'python3', '-c', ...args];
  const stdio = ['pipe', 'pipe', 'pipe', ...(filter ? [[filter]] : [])] as ['pipe', 'pipe', 'pipe'];
  const { stdout, exitCode } = await execa(file, rest, { stdio, reject: false });
  return exitCode === 0 ? stdout : 'died';
}

const notPermitted = 1;

describe.skipIf(noJail !== undefined || !hasPython || systemCallFilter(process.arch) === undefined)(
  'the filter of system calls, in the kernel',
  () => {
    const calls = JSON.stringify({ ...numbers, ...(isX64 && { 'socket of x32': 0x40000000 + numbers.socket }) });

    it('refuses what it names, in each of its manners, and nothing else', async () => {
      const { getppid, ...refused } = JSON.parse(
        await inFilter(systemCallFilter(process.arch), caller, calls),
      ) as Record<string, number>;
      expect(getppid).toBe(0);
      expect(new Set(Object.values(refused))).toEqual(new Set([notPermitted]));
      const bare = JSON.parse(await inFilter(undefined, caller, calls)) as Record<string, number>;
      expect(bare).toMatchObject({ socket: 0, getppid: 0 });
    });

    it.skipIf(!isX64)('refuses calls by the numbers of another processor', async () => {
      const bare = await inFilter(undefined, otherProcessor);
      // Many kernels are built without them: then there is nothing to refuse.
      expect(bare).toMatch(/^(\d+|died)$/);
      expect(await inFilter(systemCallFilter('x64'), otherProcessor)).toBe(bare === 'died' ? 'died' : '-1');
    });
  },
);

/** What the kernel would make of a call, for processors that are not this one. */
function verdictOf(filter: Buffer, audit: number, number: number): number {
  let word = 0;
  for (let at = 0; ; at += 8) {
    const operand = filter.readUInt32LE(at + 4);
    const code = filter.readUInt16LE(at);
    if (code === 0x06) return operand;
    if (code === 0x20) word = operand === 4 ? audit : number;
    else at += 8 * filter.readUInt8(at + ((code === 0x15 ? word === operand : word >= operand) ? 2 : 3));
  }
}

describe.each([
  ['x64', 0xc000003e, { socket: 41, socketpair: 53, add_key: 248, request_key: 249, keyctl: 250 }],
  ['arm64', 0xc00000b7, { socket: 198, socketpair: 199, add_key: 217, request_key: 218, keyctl: 219 }],
] as const)('the filter for %s, read as the kernel reads it', (architecture, audit, named) => {
  it('refuses what it names and other processors, and allows the rest', () => {
    const filter = systemCallFilter(architecture) as Buffer;
    const refused = new Set<number>([...Object.values(named), 425]);
    for (let number = 0; number < 600; number++) {
      expect(verdictOf(filter, audit, number)).toBe(refused.has(number) ? 0x00050001 : 0x7fff0000);
      expect(verdictOf(filter, 0x40000003, number)).toBe(0x00050001);
      expect(verdictOf(filter, audit, 0x40000000 + number)).toBe(0x00050001);
    }
  });
});

it('there is no filter for a processor whose numbers are not known', () => {
  expect(systemCallFilter('riscv64')).toBeUndefined();
});
