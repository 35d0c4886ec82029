/** What is refused to a sidecar in a jail, and why the namespaces around it are not enough. */
type RefusedCall =
  // A unix socket that lies inside a root could be connected to: those are files, which a network namespace lets be.
  // The sidecar has the sockets of its stdio already, and Node needs no others.
  | 'socket'
  | 'socketpair'
  // Does the work of other calls, such as making and connecting sockets, where no filter sees it.
  | 'io_uring_setup'
  // The keys of the host's session: no namespace separates them.
  | 'add_key'
  | 'request_key'
  | 'keyctl';

/** A processor as the kernel knows it: AUDIT_ARCH_… of <linux/audit.h>, and numbers of <asm/unistd.h>. */
interface Processor {
  readonly audit: number;
  readonly numbers: Readonly<Record<RefusedCall, number>>;
}

const processors: Partial<Record<NodeJS.Architecture, Processor>> = {
  x64: {
    audit: 0xc000003e,
    numbers: { socket: 41, socketpair: 53, io_uring_setup: 425, add_key: 248, request_key: 249, keyctl: 250 },
  },
  arm64: {
    audit: 0xc00000b7,
    numbers: { socket: 198, socketpair: 199, io_uring_setup: 425, add_key: 217, request_key: 218, keyctl: 219 },
  },
};

/** From here on x86-64 has its calls a second time, for x32. No processor has numbers of its own up there. */
const x32Calls = 0x40000000;

const load = 0x20; // BPF_LD | BPF_W | BPF_ABS
const ifEqual = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const ifAtLeast = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const answer = 0x06; // BPF_RET | BPF_K
const numberOffset = 0; // of struct seccomp_data
const processorOffset = 4;
const allowed = 0x7fff0000; // SECCOMP_RET_ALLOW
const notPermitted = 0x00050001; // SECCOMP_RET_ERRNO | EPERM

/**
 * A filter for the kernel's seccomp that answers `RefusedCall`s with EPERM, and every call in the manner of another
 * processor, such as a 32-bit one, whose numbers are other calls. `undefined` for a processor that is not in the table.
 *
 * @returns a program of classic BPF: 8 bytes an instruction, little-endian, as both processors are
 */
export function systemCallFilter(architecture: NodeJS.Architecture): Buffer | undefined {
  const processor = processors[architecture];
  if (processor === undefined) return undefined;
  const numbers = Object.values(processor.numbers);
  const last = numbers.length + 5;
  // A jump counts the instructions to skip.
  const toLast = (from: number): number => last - from - 1;
  return Buffer.concat([
    instruction(load, processorOffset),
    instruction(ifEqual, processor.audit, 0, toLast(1)),
    instruction(load, numberOffset),
    instruction(ifAtLeast, x32Calls, toLast(3)),
    ...numbers.map((number, index) => instruction(ifEqual, number, toLast(4 + index))),
    instruction(answer, allowed),
    instruction(answer, notPermitted),
  ]);
}

function instruction(code: number, operand: number, skipIfTrue = 0, skipIfFalse = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(skipIfTrue, 2);
  bytes.writeUInt8(skipIfFalse, 3);
  bytes.writeUInt32LE(operand, 4);
  return bytes;
}
