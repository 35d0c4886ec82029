import { createReadStream, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import { compileDenyGlob, FolderFiles, isDenied, openFile, PathCall, systemLocator } from '@mustard-sandbox/paths';
import { SandboxError } from '@mustard-sandbox/protocol';

/** The most files of a root, because a job names each file. */
const mostFiles = 10_000;
const mostFolders = 10_000;
const mostDepth = 64;
const mostBytes = 1024 ** 3;
const tool = 'the upload of scope.root';

/** A file that can be read more than once. */
export interface Source {
  stats: Stats;
  read: () => Readable;
}

/** A regular file below a root. It stays open until it is disposed of. */
interface RootFile extends Source, Disposable {
  /** The path from the root, with `/`. */
  name: string;
}

/**
 * The files below a root that a script could read, by the same guard as in a sidecar: no links, nothing on the denylist
 * or in `deny`, and nothing that another program swaps in meanwhile.
 *
 * @throws {SandboxError} `limit_exceeded` for more than a job can name
 */
export function* filesOfRoot(root: string, deny: readonly string[]): Generator<RootFile, void, undefined> {
  const folder = new FolderFiles(root, { refuseSecrets: true, refuseLinks: true });
  const globs = deny.map(compileDenyGlob);
  const files = {
    tree: { root, deny: globs, noLinks: true as const },
    attachments: new Map<string, string>(),
    locator: systemLocator,
  };
  const folders = [''];
  let [count, bytes] = [0, 0];
  for (let next = 0; next < folders.length; next++) {
    const place = folders[next] as string;
    for (const { name, stats } of folder.list(place === '' ? '.' : place, tool)) {
      const path = place === '' ? name : `${place}/${name}`;
      const segments = path.split('/');
      if (isDenied(segments, globs)) continue;
      if (stats === undefined) {
        if (folders.push(path) > mostFolders || segments.length > mostDepth) throw tooMuch();
        continue;
      }
      bytes += stats.size;
      if (++count > mostFiles || bytes > mostBytes) throw tooMuch();
      using opened = opening(files, path);
      if (opened !== undefined) yield { ...opened, name: path };
    }
  }
}

function opening(files: Parameters<typeof openFile>[0], path: string): (Source & Disposable) | undefined {
  const call = new PathCall(tool, path);
  try {
    const opened = openFile(files, path, call);
    const { fd, stats } = opened;
    const read = (): ReturnType<typeof createReadStream> => createReadStream('', { fd, start: 0, autoClose: false });
    return { stats, read, [Symbol.dispose]: () => opened[Symbol.dispose]() };
  } catch {
    // It is gone, or may not be read. A script could not read it either.
    return undefined;
  }
}

function tooMuch(): SandboxError {
  const message = `The root has more than ${mostFiles} files that a script could read, more than 1 GiB of them, or folders ${mostDepth} deep. Name a smaller one, or attach files.`;
  return new SandboxError('limit_exceeded', message, { details: { limit: 'attachment_bytes', value: mostFiles } });
}
