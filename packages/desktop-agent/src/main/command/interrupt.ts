const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Resolves with Ctrl-C, or another signal that ends a process. The next one ends the process at once. */
export async function interrupted(onFirst: () => void): Promise<void> {
  await new Promise<void>((resolve) => {
    let isFirst = true;
    for (const [name, exitCode] of Object.entries(signals)) {
      process.on(name, () => {
        if (!isFirst) process.exit(exitCode);
        isFirst = false;
        onFirst();
        resolve();
      });
    }
  });
}
