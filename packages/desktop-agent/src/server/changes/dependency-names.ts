import { AgentError } from '../../shared/contract/index.ts';

const maxDependencies = 50;

/** A name in the registry with a version or range. URLs, folders and options of the package manager do not match. */
const name = /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*(?:@[\w^~<>=*][\w.^~<>=*+-]*)?$/i;

/** @throws {AgentError} `denied` for a text that is not the name of a package */
export function checkDependencies(dependencies: readonly string[]): string[] {
  const unique = [...new Set(dependencies)];
  if (unique.length > maxDependencies) {
    throw new AgentError(
      'limit_exceeded',
      `The answer adds ${unique.length} packages; at most ${maxDependencies} at a time.`,
    );
  }
  const wrong = unique.find((dependency) => dependency.length > 300 || !name.test(dependency));
  if (wrong === undefined) return unique;
  throw new AgentError('denied', `${JSON.stringify(wrong)} is not the name of a package, so it is not installed.`);
}
