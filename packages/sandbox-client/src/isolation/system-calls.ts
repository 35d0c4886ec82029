import { assemble, type Rule, type Test } from './bpf.ts';

/** A processor as the kernel knows it: AUDIT_ARCH_… of <linux/audit.h>, and the column of its numbers in `numbers`. */
const processors = { x64: { audit: 0xc000003e, column: 0 }, arm64: { audit: 0xc00000b7, column: 1 } } as const;

/** Numbers from <asm/unistd.h>, for x86-64 and arm64; `undefined` for a call that a processor does not have. */
const numbers = {
  open: [2, undefined],
  mmap: [9, 222],
  shmget: [29, 194],
  socket: [41, 198],
  socketpair: [53, 199],
  clone: [56, 220],
  fork: [57, undefined],
  vfork: [58, undefined],
  semget: [64, 190],
  msgget: [68, 186],
  fcntl: [72, 25],
  flock: [73, 32],
  creat: [85, undefined],
  chmod: [90, undefined],
  fchmod: [91, 52],
  ptrace: [101, 117],
  mknod: [133, undefined],
  prctl: [157, 167],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  openat: [257, 56],
  mknodat: [259, 33],
  fchmodat: [268, 53],
  unshare: [272, 97],
  setns: [308, 268],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  memfd_create: [319, 279],
  io_uring_setup: [425, 425],
  clone3: [435, 435],
  fallocate: [285, 47],
  openat2: [437, 437],
  pidfd_getfd: [438, 438],
  memfd_secret: [447, 447],
  fchmodat2: [452, 452],
} as const;

type Call = keyof typeof numbers;

/**
 * With `if`, only calls in which one of these tests holds are refused; with `unless`, only calls in which none does.
 * With `as`, the call fails as on a kernel that does not have it, or on a file system that cannot do it.
 */
interface Refusal {
  call: Call;
  if?: readonly Test[];
  unless?: readonly Test[];
  as?: 'missing' | 'unsupported';
}

const refuse = (...calls: Call[]): Refusal[] => calls.map((call) => ({ call }));

/** Calls that are refused in every jail, and why the namespaces around it are not enough. */
const always: readonly Refusal[] = [
  // It does the work of other calls, such as making and connecting sockets, where no filter sees it.
  ...refuse('io_uring_setup'),
  // They reach the keys of the host's session, which no namespace separates.
  ...refuse('add_key', 'request_key', 'keyctl'),
  // With these, the init of the jail could be made to outlive the host, because it and what is started inside have the
  // same user.
  ...refuse('ptrace', 'process_vm_readv', 'process_vm_writev', 'pidfd_getfd'),
  { call: 'prctl', if: [{ argument: 0, equals: 1 }] }, // PR_SET_PDEATHSIG
  // These are for bubblewrap before 0.8, which cannot forbid namespaces within the namespace.
  ...refuse('unshare', 'setns'),
  // They make files without a name. No limit on data counts their memory, and no look at a process shows it.
  ...refuse('memfd_create', 'memfd_secret', 'shmget'),
];

/** F_[OFD_]SETLK[W], and F_SETLEASE. */
const [locks, lease] = [[6, 7, 37, 38], 1024];
const growsDown: Test = { argument: 3, mask: 0x100, equals: 0x100 }; // MAP_GROWSDOWN
const sharedMemory: Test = { argument: 3, mask: 0x21, equals: 0x21 }; // MAP_SHARED | MAP_ANONYMOUS

/** Calls that a sidecar never makes. */
const forSidecars: readonly Refusal[] = [
  // A unix socket inside a root could be connected to, because it is a file, which no network namespace confines. A
  // sidecar already has the sockets of its stdio, and Node needs no others.
  ...refuse('socket', 'socketpair'),
  // A process that may read a file could block others who write or lock it: with a lease for the kernel's 45 s, with a
  // lock for ever.
  ...refuse('flock'),
  { call: 'fcntl', if: [...locks, lease].map((equals) => ({ argument: 1, equals })) },
  // Shared memory, and memory that grows by itself, is not counted by the limit on data.
  { call: 'mmap', if: [sharedMemory, growsDown] },
  // Nothing in a sidecar starts a process, and each process would have limits of its own. Threads are made by the same
  // call, with CLONE_THREAD. The kernel shows a filter no argument of clone3; when clone3 is missing, the C library
  // uses `clone`.
  ...refuse('fork', 'vfork'),
  { call: 'clone', if: [{ argument: 0, mask: 0x10000, equals: 0 }] },
  { call: 'clone3', as: 'missing' },
];

/** AF_INET, AF_INET6, and AF_NETLINK, with which a program asks for the names of its network interfaces. */
const families = [2, 10, 16].map((equals) => ({ argument: 0, equals }));

/** Refuses S_ISUID and S_ISGID in the argument that is a mode. */
const withSetId = (call: Call, argument: number): Refusal => ({
  call,
  if: [0o4000, 0o2000].map((bit) => ({ argument, mask: bit, equals: bit })),
});

/**
 * Calls that commands may not make. Builds and tests start processes, lock their caches, share memory and listen on
 * 127.0.0.1, so that is allowed. Refused are sockets that no network namespace confines: unix sockets, which are files,
 * and vsock, which reaches the host of a virtual machine.
 */
const forCommands: readonly Refusal[] = [
  { call: 'socket', unless: families },
  { call: 'fcntl', if: [{ argument: 1, equals: lease }] },
  { call: 'mmap', if: [growsDown] },
  // Semaphores and queues of messages, made by the thousand, take memory of the kernel that no limit on data counts.
  ...refuse('semget', 'msgget'),
  // A program with one of these bits runs as the owner of the workspace, whoever starts it outside. Removing the bits
  // after the command would leave such a program there while the command runs. A filter does not see the mode of
  // openat2, and programs work without that call.
  ...[withSetId('chmod', 1), withSetId('fchmod', 1), withSetId('fchmodat', 2), withSetId('fchmodat2', 2)],
  ...[
    withSetId('open', 2),
    withSetId('openat', 3),
    withSetId('creat', 1),
    withSetId('mknod', 1),
    withSetId('mknodat', 2),
  ],
  { call: 'openat2', as: 'missing' },
  // It takes gigabytes in no time, before anybody can look. Without it the C library writes. Making holes is allowed.
  { call: 'fallocate', unless: [{ argument: 1, mask: 2, equals: 2 }], as: 'unsupported' },
];

/** What a jail may do in addition to what a sidecar may do. */
export interface Allowances {
  /** Start processes, lock files, share memory, and open sockets of the network. Default: false. */
  processes?: boolean;
}

/**
 * A filter for the kernel's seccomp. It refuses the calls above with EPERM, and also every call in the manner of
 * another processor, such as a 32-bit one, whose numbers mean other calls. `undefined` for a processor that is not in
 * the table.
 *
 * It cannot refuse `execve`, which starts the program inside. Without a new process, that only replaces the caller.
 *
 * @returns a program of classic BPF
 */
export function systemCallFilter(
  architecture: NodeJS.Architecture,
  { processes: mayStart = false }: Allowances = {},
): Buffer | undefined {
  if (architecture !== 'x64' && architecture !== 'arm64') return undefined;
  const { audit, column } = processors[architecture];
  const rules = [...always, ...(mayStart ? forCommands : forSidecars)].flatMap(({ call, ...rest }): Rule[] => {
    const number = numbers[call][column];
    return number === undefined ? [] : [{ number, ...rest }];
  });
  return assemble(audit, rules);
}
