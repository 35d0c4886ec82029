import { insideFor } from './archives/later.ts';
import type { BuiltinCall } from './call.ts';
import {
  attachmentPrefix,
  checkPath,
  compileFindGlob,
  findInside,
  isGlob,
  requireTree,
  type FindGlob,
} from '@mustard-sandbox/paths';
import type { BuiltinContext } from './context.ts';
import { walk, type NamedFiles, type Walked } from './walk.ts';

/**
 * The files whose paths match a pattern, sorted. Refused files are left out.
 *
 * @param glob relative to the root, or `attachments:` and a pattern for names
 * @throws {SandboxError} `capability_denied`, `invalid_request`, and like `walk`
 */
export function findFiles(context: BuiltinContext, glob: unknown, call: BuiltinCall): Walked {
  const members = insideFor(glob)?.membersLike(context, glob, call);
  if (members !== undefined) return members;
  const asked = checkPath(glob);
  if (asked.kind === 'refused') throw call.denied(asked.why);
  if (asked.kind === 'attachment') return { paths: attachmentsLike(context, asked.name, call), unreadable: [] };
  const compiled = compile(glob as string, call);
  const { tree } = context.files;
  try {
    return walk(context, compiled.base, call, {
      enters: (segments) => compiled.mayEnter(segments),
      takes: (segments) => compiled.matches(segments),
    });
  } catch (error) {
    // A pattern in a missing folder matches nothing.
    const isMissing =
      tree !== undefined && (error as { details?: { name?: string } }).details?.name === 'NotFoundError';
    if (isMissing && compiled.base.length > 0) return { paths: [], unreadable: [] };
    throw error;
  }
}

/**
 * The files at a path: one file, all files in a folder and below it, or the files that match a pattern.
 *
 * @throws {SandboxError} `capability_denied`, `script_error` for what is missing, and like `findFiles`
 */
export function filesNamedBy(context: BuiltinContext, where: unknown, call: BuiltinCall): NamedFiles {
  const members = insideFor(where)?.membersNamedBy(context, where, call);
  if (members !== undefined) return members;
  const asked = checkPath(where);
  if (asked.kind === 'refused') throw call.denied(asked.why);
  if (asked.kind === 'attachment') {
    if (context.files.attachments.has(asked.name)) return { paths: [where as string], unreadable: [], isSingle: true };
    if (asked.name !== '' && !isGlob(asked.name)) throw call.notFound();
    return {
      paths: attachmentsLike(context, asked.name === '' ? '*' : asked.name, call),
      unreadable: [],
      isSingle: false,
    };
  }
  const tree = requireTree(context.files, call);
  let kind: string;
  try {
    ({ kind } = findInside(tree, asked.segments, call));
  } catch (error) {
    const isMissing = (error as { details?: { name?: string } }).details?.name === 'NotFoundError';
    if (!isMissing || !isGlob(where as string)) throw error;
    return { ...findFiles(context, where, call), isSingle: false };
  }
  if (kind === 'folder') return { ...walk(context, asked.segments, call), isSingle: false };
  return { paths: [where as string], unreadable: [], isSingle: true };
}

function attachmentsLike({ files }: BuiltinContext, pattern: string, call: BuiltinCall): string[] {
  const glob = compile(pattern, call);
  return [...files.attachments.keys()]
    .filter((name) => glob.matches([name]))
    .map((name) => attachmentPrefix + name)
    .sort();
}

function compile(pattern: string, call: BuiltinCall): FindGlob {
  const compiled = compileFindGlob(pattern);
  if ('problem' in compiled) throw call.invalid(`${call.name}: ${compiled.problem}.`);
  return compiled;
}
