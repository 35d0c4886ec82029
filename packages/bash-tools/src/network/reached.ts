/** What a command did with one host of the network. */
export interface ReachedHost {
  /** As the command named it. */
  host: string;
  port: number;
  /** How many connections or requests there were, and how many of them were refused or failed. */
  times: number;
  refused: number;
  /** In bytes, as the proxy passed them on. */
  sentBytes: number;
  receivedBytes: number;
  /** Why the last one was refused or failed, as a clause. */
  why?: string;
}

/** What a command reached by the network, and what it was refused. */
export interface Reached {
  hosts: ReachedHost[];
  /** How many further requests named hosts that are not listed, because there are so many. */
  more: number;
}

const maxHosts = 100;
const maxHostChars = 253;

/** Keeps account of one command. */
export class ReachedLog {
  readonly #hosts = new Map<string, ReachedHost>();
  #more = 0;

  /** One connection or request. The caller adds to what is returned. */
  begin(host: string, port: number): ReachedHost {
    // It is shown to a person, and a command chose it.
    const shown = host.replace(/[^\x21-\x7e]/g, '?').slice(0, maxHostChars);
    const key = `${shown} ${port}`;
    const found = this.#hosts.get(key);
    const entry = found ?? { host: shown, port, times: 0, refused: 0, sentBytes: 0, receivedBytes: 0 };
    entry.times++;
    if (found !== undefined) return entry;
    if (this.#hosts.size >= maxHosts) this.#more++;
    else this.#hosts.set(key, entry);
    return entry;
  }

  get all(): Reached {
    return { hosts: [...this.#hosts.values()].map((host) => ({ ...host })), more: this.#more };
  }
}
