import { AgentError, type Broadcast } from '../../shared/contract/index.ts';
import type { ScratchOptions } from './remote/scratch.ts';

/** What a person can follow and cancel while it runs. */
export class GitTasks {
  readonly #running = new Map<string, AbortController>();
  readonly #broadcast: Broadcast;
  readonly #dataDir: string;

  constructor({ broadcast, dataDir }: { broadcast: Broadcast; dataDir: string }) {
    this.#broadcast = broadcast;
    this.#dataDir = dataDir;
  }

  /** @throws {AgentError} `invalid_request` for an id that is in use */
  async run<T>(taskId: string, gone: AbortSignal, work: (options: ScratchOptions) => Promise<T>): Promise<T> {
    if (this.#running.has(taskId)) throw new AgentError('invalid_request', `The task ${taskId} runs already.`);
    const controller = new AbortController();
    this.#running.set(taskId, controller);
    try {
      const signal = AbortSignal.any([gone, controller.signal]);
      return await work({ dataDir: this.#dataDir, signal, onProgress: this.#teller(taskId) });
    } finally {
      this.#running.delete(taskId);
    }
  }

  cancel(taskId: string): void {
    this.#running.get(taskId)?.abort(new AgentError('cancelled', 'It was cancelled.'));
  }

  #teller(taskId: string): (line: string) => void {
    let said = '';
    return (line) => {
      const [, phase, percent] = /^(?:remote: )?([A-Z][a-z]+ (?:objects|deltas)): +(\d{1,3})%/.exec(line) ?? [];
      if (phase === undefined || `${phase} ${percent}` === said) return;
      said = `${phase} ${percent}`;
      this.#broadcast('git:progress', { taskId, phase, percent: Math.min(100, Number(percent)) });
    };
  }
}
