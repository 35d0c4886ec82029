import { compileDenyGlob, isSecret, matchesAny, refusalOfName } from '@mustard-sandbox/paths';

/**
 * Whether a script may read a path below its root, by its names alone.
 *
 * @param deny patterns in addition to the denylist, as in a scope
 * @returns a function of the names from the root down
 * @throws {SandboxError} `invalid_request` for a malformed pattern
 */
export function readablePaths(deny: readonly string[]): (segments: readonly string[]) => boolean {
  const globs = deny.map(compileDenyGlob);
  return (segments) =>
    !isSecret(segments) &&
    !matchesAny(globs, segments) &&
    segments.every((name, index) => refusalOfName(name, index === 0, process.platform) === undefined);
}
