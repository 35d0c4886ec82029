import { spawnSync } from 'node:child_process';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { systemCallFilter } from '../../packages/sandbox-client/src/isolation/system-calls.ts';
import { noJail } from './support.ts';

const isX64 = process.arch === 'x64';
/** By its own path: what stands in PATH may be a script, which would have to start a process. */
const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout?.trim();

/** What the kernel knows the calls by, from its own tables: x86-64, and the one that all newer processors share. */
const unconditional = {
  x64: {
    ...{ socket: 41, socketpair: 53, add_key: 248, request_key: 249, keyctl: 250, io_uring_setup: 425 },
    ...{ ptrace: 101, process_vm_readv: 310, process_vm_writev: 311, pidfd_getfd: 438, unshare: 272, setns: 308 },
    ...{ flock: 73, memfd_create: 319, memfd_secret: 447, shmget: 29 },
  },
  arm64: {
    ...{ socket: 198, socketpair: 199, add_key: 217, request_key: 218, keyctl: 219, io_uring_setup: 425 },
    ...{ ptrace: 117, process_vm_readv: 270, process_vm_writev: 271, pidfd_getfd: 438, unshare: 97, setns: 268 },
    ...{ flock: 32, memfd_create: 279, memfd_secret: 447, shmget: 194 },
  },
};
const conditional = {
  x64: { mmap: 9, fcntl: 72, prctl: 157, clone: 56, clone3: 435 },
  arm64: { mmap: 222, fcntl: 25, prctl: 167, clone: 220, clone3: 435 },
};
const starting = { x64: [57, 58], arm64: [] };
const own = isX64 ? 'x64' : 'arm64';

type Case = [what: string, number: number, args: number[], errno: number];

const [permitted, notPermitted, notThere, notSupported] = [0, 1, 38, 95];

/** Calls whose arguments decide, as <linux/….h> has them: F_…, MAP_…, PR_…, CLONE_…. */
function casesFor({ mmap, fcntl, prctl, clone, clone3 }: (typeof conditional)['x64']): Case[] {
  const map = (flags: number): number[] => [0, 4096, 3, flags, -1, 0];
  return [
    ['mmap of private memory', mmap, map(0x22), permitted],
    ['mmap of shared memory', mmap, map(0x21), notPermitted],
    ['mmap of shared memory, with flags checked', mmap, map(0x23), notPermitted],
    ['mmap of shared memory, without reserve', mmap, map(0x4021), notPermitted],
    ['mmap that grows down', mmap, map(0x122), notPermitted],
    ['fcntl F_GETFL', fcntl, [0, 3, 0], permitted],
    ['fcntl F_GETLK', fcntl, [0, 5, 0], permitted],
    ['fcntl F_SETLK', fcntl, [0, 6, 0], notPermitted],
    ['fcntl F_SETLKW', fcntl, [0, 7, 0], notPermitted],
    ['fcntl F_OFD_SETLK', fcntl, [0, 37, 0], notPermitted],
    ['fcntl F_OFD_SETLKW', fcntl, [0, 38, 0], notPermitted],
    ['fcntl F_SETLEASE', fcntl, [0, 1024, 0], notPermitted],
    ['fcntl F_GETLEASE', fcntl, [0, 1025, 0], permitted],
    ['prctl PR_SET_PDEATHSIG', prctl, [1, 9], notPermitted],
    ['prctl PR_GET_DUMPABLE', prctl, [3], permitted],
    ['clone of a process', clone, [17], notPermitted],
    ['clone as vfork does it', clone, [0x4111], notPermitted],
    ['clone3', clone3, [0, 0], notThere],
  ];
}

/** The calls with a mode, and where in their arguments it is. */
const modes = {
  x64: [
    ...[
      ['chmod', 90, 1] as const,
      ['fchmod', 91, 1] as const,
      ['fchmodat', 268, 2] as const,
      ['fchmodat2', 452, 2] as const,
    ],
    ...[['open', 2, 2] as const, ['openat', 257, 3] as const, ['creat', 85, 1] as const, ['mknod', 133, 1] as const],
    ['mknodat', 259, 2] as const,
  ],
  arm64: [
    ...[['fchmod', 52, 1] as const, ['fchmodat', 53, 2] as const, ['fchmodat2', 452, 2] as const],
    ...[['openat', 56, 3] as const, ['mknodat', 33, 2] as const],
  ],
};
const allocating = { x64: 285, arm64: 47 };
const semaphores = { x64: [64, 68], arm64: [190, 186] } as const;
const casesOf = (architecture: 'x64' | 'arm64'): Case[] => [
  ['semaphores', semaphores[architecture][0], [], notPermitted],
  ['a queue of messages', semaphores[architecture][1], [], notPermitted],
  ['openat2', 437, [], notThere],
  ['room for a file', allocating[architecture], [1, 0, 0, 4096], notSupported],
  ['a hole in a file', allocating[architecture], [1, 3, 0, 4096], permitted],
  ...modes[architecture].flatMap(([name, number, argument]): Case[] => {
    const withMode = (mode: number): number[] => [...Array<number>(argument).fill(0), mode];
    return [
      [`${name} with an ordinary mode`, number, withMode(0o100755), permitted],
      [`${name} with a sticky one`, number, withMode(0o1777), permitted],
      [`${name} with set-user-id`, number, withMode(0o4755), notPermitted],
      [`${name} with set-group-id`, number, withMode(0o102755), notPermitted],
    ];
  }),
];

/** Says the errno of each call. Those with a bad argument fail by themselves as well, with another one. */
const caller = `
import ctypes, json, os, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
told = {}
os.dup2(os.open('/dev/null', os.O_RDONLY), 0)
for name, number, args in json.loads(sys.argv[1]):
    ctypes.set_errno(0)
    libc.syscall(ctypes.c_long(number), *[ctypes.c_long(arg) for arg in args])
    told[name] = ctypes.get_errno()
thread = threading.Thread(target=lambda: told.update({'a thread': 0}))
thread.start()
thread.join()
print(json.dumps(told))
`;

/** The 32-bit way into the kernel, where call 20 is \`getpid\`. */
const otherProcessor = `
import ctypes, mmap
code = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
code.write(bytes([0xb8, 20, 0, 0, 0, 0, 0xcd, 0x80, 0xc3]))
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))())
`;

const startsProcess = `import subprocess; print(subprocess.run(['/bin/true']).returncode)`;

async function inFilter(filter: Buffer | undefined, ...args: string[]): Promise<string> {
  const jail = ['/usr/bin/env', 'bwrap', '--dev-bind', '/', '/', ...(filter ? ['--seccomp', '3'] : []), '--'];
  const [file = '', ...rest] = [...jail, python ?? '', '-c', ...args];
  const stdio = ['pipe', 'pipe', 'pipe', ...(filter ? [[filter]] : [])] as ['pipe', 'pipe', 'pipe'];
  const { stdout, exitCode } = await execa(file, rest, { stdio, reject: false });
  return exitCode === 0 ? stdout : 'died';
}

describe.skipIf(noJail !== undefined || !python || systemCallFilter(process.arch) === undefined)(
  'the filter of system calls, in the kernel',
  () => {
    const errnos = async (filter: Buffer | undefined, calls: unknown[]): Promise<Record<string, number>> => {
      return JSON.parse(await inFilter(filter, caller, JSON.stringify(calls))) as Record<string, number>;
    };
    const decided = casesFor(conditional[own]);

    it('refuses what it names, in each of its manners, and nothing else', async () => {
      const named = Object.entries({
        ...unconditional[own],
        ...(isX64 && { fork: 57, vfork: 58, 'socket of x32': 0x40000000 + 41 }),
      });
      const calls = named.map(([name, number]) => [name, number, [1, 1, 0]]);
      const refused = await errnos(systemCallFilter(process.arch), calls);
      expect(refused).toEqual({ ...Object.fromEntries(named.map(([name]) => [name, notPermitted])), 'a thread': 0 });
      // What a kernel allows without the filter.
      expect(await errnos(undefined, [['socket', unconditional[own].socket, [1, 1, 0]]])).toMatchObject({ socket: 0 });
    });

    it('looks at the arguments where those decide', async () => {
      const calls = decided.map(([what, number, args]) => [what, number, args]);
      const told = await errnos(systemCallFilter(process.arch), calls);
      const wanted = decided.map(([what, , , errno]): [string, unknown] => [
        what,
        // A bad argument, by the kernel's own check; but not refused.
        what === 'fcntl F_GETLK' ? 14 : errno,
      ]);
      expect(told).toEqual({ ...Object.fromEntries(wanted), 'a thread': 0 });
      const harmless = calls.filter(([what]) => /mmap of (private|shared memory$)|PDEATHSIG/.test(String(what)));
      expect(new Set(Object.values(await errnos(undefined, harmless)))).toEqual(new Set([permitted]));
    });

    it('lets processes be started where that is allowed', async () => {
      expect(await inFilter(systemCallFilter(process.arch, { processes: true }), startsProcess)).toBe('0');
      expect(await inFilter(systemCallFilter(process.arch), startsProcess)).toBe('died');
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
function verdictOf(filter: Buffer, audit: number, number: number, args: readonly number[] = []): number {
  const data = new Map([
    [0, number],
    [4, audit],
    ...args.map((value, index): [number, number] => [16 + 8 * index, value >>> 0]),
  ]);
  let word = 0;
  for (let at = 0; ; at += 8) {
    const operand = filter.readUInt32LE(at + 4);
    const code = filter.readUInt16LE(at);
    if (code === 0x06) return operand;
    if (code === 0x20) word = data.get(operand) ?? 0;
    else if (code === 0x54) word = (word & operand) >>> 0;
    else at += 8 * filter.readUInt8(at + ((code === 0x15 ? word === operand : word >= operand) ? 2 : 3));
  }
}

const verdicts = {
  [permitted]: 0x7fff0000,
  [notPermitted]: 0x00050001,
  [notThere]: 0x00050026,
  [notSupported]: 0x0005005f,
};

describe.each([
  ['x64', 0xc000003e],
  ['arm64', 0xc00000b7],
] as const)('the filter for %s, read as the kernel reads it', (architecture, audit) => {
  const filter = systemCallFilter(architecture) as Buffer;
  const refused = new Set<number>([...Object.values(unconditional[architecture]), ...starting[architecture]]);
  const byArguments = new Set<number>(Object.values(conditional[architecture]));

  it('refuses what it names and other processors, and allows the rest', () => {
    for (let number = 0; number < 600; number++) {
      const verdict = verdictOf(filter, audit, number);
      if (!byArguments.has(number)) expect(verdict).toBe(verdicts[refused.has(number) ? notPermitted : permitted]);
      expect(verdictOf(filter, 0x40000003, number)).toBe(verdicts[notPermitted]);
      expect(verdictOf(filter, audit, 0x40000000 + number)).toBe(verdicts[notPermitted]);
    }
  });

  it.each(casesFor(conditional[architecture]))('%s', (_, number, args, errno) => {
    expect(verdictOf(filter, audit, number, args)).toBe(verdicts[errno]);
  });

  it('lets threads begin, as glibc and musl do it', () => {
    for (const flags of [0x3d0f00, 0x7d0f00]) {
      expect(verdictOf(filter, audit, conditional[architecture].clone, [flags])).toBe(verdicts[permitted]);
    }
  });
});

describe.each([
  ['x64', 0xc000003e],
  ['arm64', 0xc00000b7],
] as const)('the filter for commands on %s, read as the kernel reads it', (architecture, audit) => {
  const filter = systemCallFilter(architecture, { processes: true }) as Buffer;
  const { socket, socketpair, flock, ptrace, unshare, memfd_create } = unconditional[architecture];
  const { clone, clone3, fcntl, mmap } = conditional[architecture];

  it.each([
    ['a process', clone, [17], permitted],
    ['a process by clone3', clone3, [0], permitted],
    ['a socket of IPv4', socket, [2], permitted],
    ['a socket of IPv6', socket, [10], permitted],
    ['a unix socket', socket, [1], notPermitted],
    ['a socket to the machine around it', socket, [40], notPermitted],
    ['a raw packet socket', socket, [17], notPermitted],
    ['a family that is not known yet', socket, [4711], notPermitted],
    ['a pair of sockets', socketpair, [1], permitted],
    ['a lock', flock, [0], permitted],
    ['a lock of a range', fcntl, [0, 6, 0], permitted],
    ['a lease', fcntl, [0, 1024, 0], notPermitted],
    ['shared memory', mmap, [0, 4096, 3, 0x21, -1, 0], permitted],
    ['memory that grows down', mmap, [0, 4096, 3, 0x122, -1, 0], notPermitted],
    ['another process, looked into', ptrace, [0], notPermitted],
    ['a namespace', unshare, [0], notPermitted],
    ['a file without a name', memfd_create, [0], notPermitted],
    ...casesOf(architecture),
  ] as const)('%s', (_, number, args, errno) => {
    expect(verdictOf(filter, audit, number, args)).toBe(verdicts[errno]);
  });
});

it('there is no filter for a processor whose numbers are not known', () => {
  expect(systemCallFilter('riscv64')).toBeUndefined();
});
