import { AgentError, type App, type Preview } from '../../shared/contract/index.ts';
import type { Allowances } from '../consents/allowances.ts';
import type { Questions } from '../consents/questions.ts';
import type { Services } from '../services.ts';
import { AppPreview, type Target } from './app-preview.ts';
import { readCommand } from './scripts.ts';

export interface PreviewsOptions extends Pick<Services, 'apps' | 'broadcast'> {
  questions: Pick<Questions, 'ask'>;
  allowances: Allowances;
  /** The origin at which the proxy shows an app. */
  originOf: (appId: string) => string;
}

/** The previews of all apps. The person is asked about each start, unless they allowed exactly this command. */
export class Previews implements AsyncDisposable {
  readonly #options: PreviewsOptions;
  readonly #byApp = new Map<string, AppPreview>();
  readonly #scripts = new Map<string, string>();
  readonly #asking = new Map<string, AbortController>();
  #isClosed = false;

  constructor(options: PreviewsOptions) {
    this.#options = options;
  }

  get(appId: string): Preview {
    return this.#of(appId).snapshot;
  }

  output(appId: string): { text: string; left: number } {
    return this.#of(appId).output;
  }

  /** The dev server that gets the requests for an app; `undefined` while it does not listen. */
  targetOf(appId: string): Target | undefined {
    return this.#byApp.get(appId)?.target;
  }

  /**
   * Starts a script of the app, or restarts it, if a person allows it.
   *
   * @throws {AgentError} `not_found` without such a script; `busy` while the person is asked; `changed` when package.json
   *   changed meanwhile
   */
  async start(appId: string, script: string, { rebuild = false } = {}): Promise<Preview> {
    if (this.#isClosed) throw new AgentError('busy', 'mustard-agent is closing.');
    if (this.#asking.has(appId))
      throw new AgentError('busy', 'You are already being asked whether this app may be started.');
    const controller = new AbortController();
    this.#asking.set(appId, controller);
    try {
      const app = await this.#options.apps.get(appId);
      const command = await readCommand(app, script, { rebuild });
      if (!(await this.#mayRun(app, command, controller.signal))) return this.get(appId);
      if ((await readCommand(app, script, { rebuild })) !== command) {
        throw new AgentError('changed', 'package.json was changed while you were asked. Start the app again.');
      }
      controller.signal.throwIfAborted();
      this.#scripts.set(appId, script);
      await this.#of(appId).start(app, command);
      return this.get(appId);
    } catch (error) {
      // Stop closes the question.
      if (controller.signal.aborted) return this.get(appId);
      throw error;
    } finally {
      this.#asking.delete(appId);
    }
  }

  /** Ends the processes of an app. Resolves when they are gone. */
  async stop(appId: string): Promise<Preview> {
    this.#asking.get(appId)?.abort();
    await this.#byApp.get(appId)?.stop();
    return this.get(appId);
  }

  choose(appId: string, port: number): Preview {
    this.#of(appId).choose(port);
    return this.get(appId);
  }

  /** Runs the preview commands of an applied proposal. A preview that does not run is left alone. */
  async act(appId: string, commands: readonly string[]): Promise<void> {
    const script = this.#scripts.get(appId);
    if (script === undefined || this.#byApp.get(appId)?.isOn !== true) return;
    if (commands.includes('rebuild')) await this.start(appId, script, { rebuild: true });
    else if (commands.includes('restart')) await this.start(appId, script);
    else if (commands.includes('refresh')) this.#options.broadcast('preview:reload', { appId });
  }

  /** Called when the app is removed. */
  async forget(appId: string): Promise<void> {
    await this.stop(appId);
    this.#byApp.delete(appId);
    this.#scripts.delete(appId);
    this.#options.allowances.forget(appId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const controller of this.#asking.values()) controller.abort();
    await Promise.all([...this.#byApp.values()].map((preview) => preview.stop()));
  }

  async #mayRun(app: App, command: string, signal: AbortSignal): Promise<boolean> {
    const { questions, allowances } = this.#options;
    if (allowances.allows(app.id, { command })) return true;
    const putBack = this.#of(app.id).ask();
    try {
      const answer = await questions.ask({ kind: 'dev-script', appId: app.id, command, folder: app.path }, signal);
      if (answer === 'allow-always') allowances.allow(app.id, { command });
      return answer === 'allow-once' || answer === 'allow-always';
    } finally {
      putBack();
    }
  }

  #of(appId: string): AppPreview {
    const known = this.#byApp.get(appId);
    if (known !== undefined) return known;
    const { broadcast, originOf } = this.#options;
    const made = new AppPreview({
      appId,
      origin: originOf(appId),
      onChange: (preview) => broadcast('preview:changed', { preview }),
      onPrinted: () => broadcast('preview:printed', { appId }),
    });
    this.#byApp.set(appId, made);
    return made;
  }
}
