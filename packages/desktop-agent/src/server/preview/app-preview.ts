import { AgentError, type App, type Preview } from '../../shared/contract/index.ts';
import { DevProcess } from './process/dev-process.ts';
import { Output } from './process/output.ts';
import type { Listening } from './process/tree.ts';

/** How often the processes are looked at, in ms: often until one listens, then seldom, to see changes. */
const lookMs = { starting: 250, running: 1_500 } as const;
const tellOutputMs = 250;

/** The dev server that the proxy sends requests to. */
export interface Target extends Listening {
  isSecure: boolean;
}

export interface AppPreviewOptions {
  appId: string;
  /** The origin at which the proxy shows the app. */
  origin: string;
  onChange: (preview: Preview) => void;
  onPrinted: () => void;
}

/** The preview of one app: its processes, what they print, and where they listen. */
export class AppPreview {
  readonly #options: AppPreviewOptions;
  #state: Preview['state'] = 'off';
  #command: string | null = null;
  #exit: string | null = null;
  #output = new Output();
  #listening: Listening[] = [];
  /** The port that the person chose. */
  #chosen: number | undefined;
  #process: DevProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #printedTimer: NodeJS.Timeout | undefined;
  /** One start or end at a time. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: AppPreviewOptions) {
    this.#options = options;
  }

  get snapshot(): Preview {
    const ports = this.#ports;
    const { appId, origin } = this.#options;
    return {
      appId,
      origin,
      state: this.#state,
      command: this.#command,
      ports,
      port: this.#target?.port ?? null,
      exit: this.#exit,
      errors: this.#output.errors,
    };
  }

  get output(): { text: string; left: number } {
    const { text } = this.#output;
    return { text, left: this.#output.left };
  }

  /** The dev server that gets the requests; `undefined` while nothing listens. */
  get target(): Target | undefined {
    const target = this.#target;
    return target && { ...target, isSecure: this.#output.ports.get(target.port)?.isSecure ?? false };
  }

  /** Whether a process of the app runs or may run. */
  get isOn(): boolean {
    return this.#process !== undefined;
  }

  /** Shows that a person is being asked. Running processes continue. @returns restores the state before */
  ask(): () => void {
    if (this.isOn) return () => {};
    const before = this.#state;
    this.#set('asking');
    return () => this.#state === 'asking' && this.#set(before);
  }

  /** Ends what runs, and starts a shell command. @throws {AgentError} `internal` when it cannot be started */
  async start(app: App, command: string): Promise<void> {
    await this.#next(async () => {
      await this.#end();
      this.#output = new Output();
      this.#command = command;
      this.#exit = null;
      const started: DevProcess = DevProcess.start({
        app,
        command,
        onOutput: (chunk) => this.#process === started && this.#print(chunk),
        onExit: (how) => {
          this.#exit = how;
          if (this.#process === started) this.#look();
        },
      });
      this.#process = started;
      this.#set('starting');
      this.#look();
    });
  }

  /** Resolves when all of its processes are gone. */
  async stop(): Promise<void> {
    await this.#next(async () => {
      await this.#end();
      this.#exit = null;
      this.#set('off');
    });
  }

  /** Shows another port of the app. @throws {AgentError} `not_found` when the app no longer listens there */
  choose(port: number): void {
    if (!this.#ports.includes(port)) throw new AgentError('not_found', `The app no longer listens on port ${port}.`);
    this.#chosen = port;
    this.#tell();
  }

  async #next(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    await done;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    const ending = this.#process;
    this.#process = undefined;
    this.#listening = [];
    await ending?.end();
  }

  get #ports(): number[] {
    const rank = ({ port }: Listening): number => {
      const at = [...this.#output.ports.keys()].indexOf(port);
      return at === -1 ? Infinity : at;
    };
    return this.#listening.toSorted((a, b) => rank(a) - rank(b) || a.port - b.port).map(({ port }) => port);
  }

  get #target(): Listening | undefined {
    const port = this.#chosen !== undefined && this.#ports.includes(this.#chosen) ? this.#chosen : this.#ports[0];
    return this.#listening.find((one) => one.port === port);
  }

  #print(chunk: Buffer): void {
    const isOther = this.#output.add(chunk);
    // Pages are told of output and errors a few times a second at most, even if it floods.
    if (this.#printedTimer !== undefined) return;
    this.#printedTimer = setTimeout(() => {
      this.#printedTimer = undefined;
      this.#options.onPrinted();
      this.#tell();
    }, tellOutputMs).unref();
    if (isOther && this.#state === 'starting') this.#look();
  }

  /** Looks at the processes now and at intervals. */
  #look(): void {
    clearTimeout(this.#timer);
    const looked = this.#process;
    if (looked === undefined) return;
    void this.#lookAt(looked).then((waitMs) => {
      clearTimeout(this.#timer);
      if (waitMs !== undefined) this.#timer = setTimeout(() => this.#look(), waitMs).unref();
      return waitMs;
    });
  }

  /** @returns when to look again, in ms; `undefined` when the process is over */
  async #lookAt(looked: DevProcess): Promise<number | undefined> {
    try {
      const { isAlive, listening } = await looked.look([...this.#output.ports.keys()]);
      if (this.#process !== looked) return undefined;
      this.#take(isAlive, listening);
      if (!isAlive) await this.#next(async () => await (this.#process === looked ? this.#end() : undefined));
      return isAlive ? lookMs[this.#state === 'running' ? 'running' : 'starting'] : undefined;
    } catch {
      // Processes can end while they are looked at. The next look finds those that are left.
      return this.#process === looked ? lookMs.running : undefined;
    }
  }

  #take(isAlive: boolean, listening: Listening[]): void {
    const before = JSON.stringify([this.#state, this.#listening]);
    this.#listening = isAlive ? listening : [];
    this.#state = !isAlive ? 'ended' : listening.length > 0 ? 'running' : 'starting';
    if (JSON.stringify([this.#state, this.#listening]) !== before) this.#tell();
  }

  #set(state: Preview['state']): void {
    this.#state = state;
    this.#tell();
  }

  #tell(): void {
    this.#options.onChange(this.snapshot);
  }
}
