import type { Wanted } from '../changes/index.ts';

/** Joins the changes of two answers, the second after the first. The title comes from the first answer that has one. */
export function joined(first: Wanted, second: Wanted): Wanted {
  return {
    summary: first.summary || second.summary,
    changes: [...first.changes, ...second.changes],
    dependencies: [...new Set([...first.dependencies, ...second.dependencies])],
    commands: [...new Set([...first.commands, ...second.commands])],
  };
}

export function wantsNothing({ changes, dependencies, commands }: Wanted): boolean {
  return changes.length + dependencies.length + commands.length === 0;
}
