import { openFile, type OpenFile } from '@mustard-sandbox/paths';
import { spendInAll } from '../budget.ts';
import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import { bytesOfFile, ownBytes, type Bytes } from './bytes.ts';
import { insideFor } from './later.ts';

/** A file that a script's path names, on the disk or in an archive. It is open until it is disposed of. */
export interface Content extends Bytes, Disposable {
  /** The file on the disk. For a file in an archive, this is the archive. */
  readonly file: OpenFile;
  readonly isMember: boolean;
}

/**
 * Opens what a path names, through the one guard: a file, or a file in an archive by a path such as `logs.zip!/server.log`.
 *
 * @throws {SandboxError} as `openFile` and `openInArchive`
 */
export function openContent(context: BuiltinContext, path: unknown, call: BuiltinCall): Content {
  const inside = insideFor(path);
  const within = inside?.openInArchive(context, path, call);
  if (inside === undefined || within === undefined) {
    const file = openFile(context.files, path, call);
    return { ...bytesOfFile(file), file, isMember: false, [Symbol.dispose]: () => file[Symbol.dispose]() };
  }
  try {
    const bytes = new inside.MemberBytes(within.archive, inside.memberNamed(within, call), context, call);
    return {
      file: within.file,
      isMember: true,
      size: bytes.size,
      read: (buffer, position) => bytes.read(buffer, position),
      [Symbol.dispose]() {
        bytes[Symbol.dispose]();
        within[Symbol.dispose]();
      },
    };
  } catch (error) {
    within[Symbol.dispose]();
    throw error;
  }
}

/**
 * The whole content of a file, for a library that needs all of it. It counts to what the run may read.
 *
 * @param most the largest size, in bytes
 * @param advice a sentence on what to do with a larger file
 * @throws {SandboxError} as `openContent`; `limit_exceeded`
 */
export function readContent(
  context: BuiltinContext,
  path: unknown,
  call: BuiltinCall,
  { most, advice = '' }: { most: number; advice?: string },
): Uint8Array<ArrayBuffer> {
  using content = openContent(context, path, call);
  const { size } = content;
  if (size > most) {
    const why = `${call.shown} has ${size} bytes, and ${call.name} reads such files of at most ${most}. ${advice}`;
    throw call.limitExceeded('read_bytes', most, size, why.trim());
  }
  spendInAll(context.budget, size, call);
  context.markRead(path);
  return ownBytes(content);
}
