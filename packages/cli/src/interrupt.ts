const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Ctrl-C and other signals that end a process. The first one asks the command to stop, and the second one ends it at
 * once.
 */
export class Interrupt {
  readonly #controller = new AbortController();
  /** What stopped the command. */
  cause: string | undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(cause: string): void {
    this.cause ??= cause;
    this.#controller.abort();
  }

  listen(): void {
    for (const [name, exitCode] of Object.entries(signals)) {
      process.on(name, () => {
        // The sidecar notices that its host is gone, and ends by itself.
        if (this.signal.aborted) process.exit(exitCode);
        this.stop(name);
      });
    }
  }
}
