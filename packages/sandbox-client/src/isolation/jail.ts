/** A way to start a sidecar that the operating system confines. */
export interface Jail {
  /** The program that makes the jail, with its version if known. */
  readonly by: string;
  /** The command that starts `command` inside. */
  wrap(command: string[], cwd: string): string[];
  /**
   * Whether another process is between the host and the sidecar. That process has the pid that was started, and reports
   * a death by signal as an exit code.
   */
  readonly monitored: boolean;
  /** What the command reads from the descriptor `filterFd`, up to its end. */
  readonly filter?: Buffer | undefined;
}

/** The first descriptor after stdio. */
export const filterFd = 3;

/** Why there can be no jail, and what to do about it. */
export interface NoJail {
  readonly reason: string;
}

/** The descriptor of a channel for messages, after that of the filter. */
export const channelFd = 4;
