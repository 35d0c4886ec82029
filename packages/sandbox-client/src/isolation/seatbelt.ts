/**
 * The facts that decide the profile. All paths are absolute and free of links, because the kernel compares real paths.
 */
export interface SeatbeltFacts {
  /** Node's executable, the only program that may be executed. */
  node: string;
  /** Files and folders that may be read: the roots, the daemon, the engine, and Node's own libraries. */
  readable: readonly string[];
}

/**
 * A profile for `sandbox-exec`. It allows reading `readable` and the system's libraries, and what every process needs.
 * Its first line refuses everything else, such as network, writing, signals to others and further processes.
 *
 * It has not been run on a Mac yet, so `auto` does not use it.
 */
export function seatbeltProfile({ node, readable }: SeatbeltFacts): string {
  const systemFolders = ['/usr/lib', '/System/Library', '/System/Volumes/Preboot/Cryptexes', '/private/var/db/dyld'];
  const folders = [...readable, ...systemFolders];
  return [
    '(version 1)',
    '(deny default)',
    ';; The launcher becomes Node; after that nothing else can be executed, and nothing forked.',
    `(allow process-exec (literal ${quoted(node)}))`,
    '(allow process-info* (target self))',
    '(allow signal (target self))',
    '(allow sysctl-read)',
    ';; Where a path leads is asked of every folder above it; what is in these folders stays hidden.',
    '(allow file-read-metadata)',
    `(allow file-read* (literal "/") (literal ${quoted(node)})`,
    ...folders.map((folder) => `  (subpath ${quoted(folder)})`),
    '  (literal "/dev/null") (literal "/dev/random") (literal "/dev/urandom"))',
    '(allow file-write-data (literal "/dev/null"))',
    ';; Native code of the engine and of the system.',
    '(allow file-map-executable',
    ...folders.map((folder) => `  (subpath ${quoted(folder)})`),
    `  (literal ${quoted(node)}))`,
    '',
  ].join('\n');
}

/** A string in the language of the profile, which is a Scheme. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&')}"`;
}
