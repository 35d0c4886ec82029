import { existsSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';

/** How long to wait after a change, in ms, because a file that is being stored makes several events. */
const settleMs = 100;

/**
 * Reports changes in a folder, which need not exist yet: until it does, its nearest existing parent is watched. If the
 * system cannot watch, it reports nothing.
 */
export class FolderWatch implements Disposable {
  readonly #folder: string;
  readonly #onChange: () => void;
  #watched: string | undefined;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(folder: string, onChange: () => void) {
    this.#folder = folder;
    this.#onChange = onChange;
    this.#arm();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  #arm(): void {
    let [target, next] = [this.#folder, ''];
    while (!existsSync(target) && target !== dirname(target)) [target, next] = [dirname(target), basename(target)];
    if (target === this.#watched) return;
    this.#watcher?.close();
    try {
      this.#watcher = watch(target, { persistent: false }, (_, name) => {
        // In a parent folder, only the path down to the folder matters.
        if (next === '' || name === null || name === next) this.#changed();
      });
      // The folder was removed. The next change watches another one.
      this.#watcher.on('error', () => this.#changed());
      this.#watched = target;
    } catch {
      this.#watched = undefined;
    }
  }

  #changed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#arm();
      this.#onChange();
    }, settleMs).unref();
  }
}
