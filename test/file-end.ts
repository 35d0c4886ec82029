const ends: (() => unknown)[] = [];

/**
 * Calls `end` when the tests of the present file are over, the newest first. For helpers that several files share: they are
 * loaded once for all files of a process, so an `afterAll` of theirs would be that of the first file alone.
 */
export function atFileEnd(end: () => unknown): void {
  ends.unshift(end);
}

/** Called by the setup of each file. */
export async function endFile(): Promise<void> {
  for (const end of ends.splice(0)) await end();
}
