import { join } from 'node:path';
import type { Runs, RunStore } from '@mustard-sandbox/runs';
import { privateFolder } from '../private-files.ts';
import { runsFolderOf } from './toolbox.ts';

interface Open {
  runs: Runs;
  store: RunStore;
}

/** The stored runs, without the servers that they need to continue. They can be read and cancelled here. */
export class KeptRuns {
  readonly #dataDir: string;
  readonly #scripts = new Map<string, string>();
  #opened: Promise<Open> | undefined;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  async open(): Promise<Open> {
    return await (this.#opened ??= this.#open());
  }

  /** The script of a run, which never changes. It is empty when it cannot be decrypted, such as after the key was lost. */
  async scriptOf(runId: string): Promise<string> {
    const known = this.#scripts.get(runId);
    if (known !== undefined) return known;
    const script = await (await this.open()).runs.script(runId).catch(() => '');
    if (this.#scripts.size > 200) this.#scripts.clear();
    this.#scripts.set(runId, script);
    return script;
  }

  async close(): Promise<void> {
    await (await this.#opened)?.runs.close();
  }

  async #open(): Promise<Open> {
    const [{ createRuns, sqliteStore }, { keyIn }] = await Promise.all([
      import('@mustard-sandbox/runs'),
      import('@mustard-sandbox/code-mode/host'),
    ]);
    const folder = runsFolderOf(this.#dataDir);
    await privateFolder(folder);
    const store = sqliteStore(join(folder, 'runs.db'));
    const sandbox = { runSegment: nothingRunsHere };
    const largeAnswers = { folder: join(folder, 'answers') };
    return { store, runs: createRuns({ sandbox, store, keys: [await keyIn(folder)], tools: [], largeAnswers }) };
  }
}

function nothingRunsHere(): never {
  throw new Error('No script runs here.');
}
