import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AgentError, providerName, type KeyStorage, type ProviderName } from '../../shared/contract/index.ts';
import { writePrivate } from '../private-files.ts';

/** The keychain of the system. The object exists only where it works. */
export interface Keychain {
  get(name: string): string | null;
  set(name: string, key: string): void;
  remove(name: string): void;
}

export interface KeyStoreOptions {
  dataDir: string;
  /** The default is the keychain of the system, which is loaded at the first use of a key. */
  loadKeychain?: () => Promise<Keychain | undefined>;
}

const keyFile = z.record(z.string(), z.string());

/**
 * Keys of models, by the name of a provider or the id of a server. They are in the keychain of the system where it works, and
 * otherwise in a file that only this user may read.
 */
export class KeyStore {
  readonly #file: string;
  readonly #load: () => Promise<Keychain | undefined>;
  #keychain: Promise<Keychain | undefined> | undefined;

  constructor({ dataDir, loadKeychain = loadSystemKeychain }: KeyStoreOptions) {
    this.#file = join(dataDir, 'keys.json');
    this.#load = loadKeychain;
  }

  async get(name: string): Promise<string | undefined> {
    const keychain = await this.#chain();
    return (keychain && attempt(() => keychain.get(name))) ?? (await this.#read())[name];
  }

  /** Stores a key, or removes it for `null`. @returns where it is now */
  async set(name: string, key: string | null): Promise<KeyStorage | undefined> {
    const keychain = await this.#chain();
    const isInChain = key !== null && keychain !== undefined && attempt(() => (keychain.set(name, key), true));
    if (key === null && keychain !== undefined) attempt(() => keychain.remove(name));
    // The file's entry goes even when the key went into the keychain, because it would be out of date.
    const kept = await this.#read();
    if (isInChain || key === null) delete kept[name];
    else kept[name] = key;
    await writePrivate(this.#file, `${JSON.stringify(kept, undefined, 2)}\n`);
    return key === null ? undefined : isInChain ? 'keychain' : 'file';
  }

  /** Where a key is; `undefined` when there is none. */
  async placeOf(name: string): Promise<KeyStorage | undefined> {
    const keychain = await this.#chain();
    if (keychain && attempt(() => keychain.get(name))) return 'keychain';
    return (await this.#read())[name] === undefined ? undefined : 'file';
  }

  /** The keys of providers. */
  async list(): Promise<{ provider: ProviderName; storage: KeyStorage }[]> {
    const places = await Promise.all(
      providerName.options.map(async (name) => [name, await this.placeOf(name)] as const),
    );
    return places.flatMap(([provider, storage]) => (storage === undefined ? [] : [{ provider, storage }]));
  }

  #chain(): Promise<Keychain | undefined> {
    return (this.#keychain ??= this.#load());
  }

  /** @throws {AgentError} `changed` for a file that cannot be parsed, so that its content is not overwritten */
  async #read(): Promise<z.infer<typeof keyFile>> {
    const text = await readFile(this.#file, 'utf8').catch((error: unknown) => {
      if ((error as { code?: unknown }).code === 'ENOENT') return '{}';
      throw error;
    });
    try {
      return keyFile.parse(JSON.parse(text));
    } catch {
      throw new AgentError(
        'changed',
        `${this.#file} is not a valid file of keys. Correct it, or remove it and enter your keys again.`,
      );
    }
  }
}

const service = 'mustard-agent';
/** By default, Linux falls back to the keyring of the kernel, which loses everything when the machine restarts. */
const options = { linux: { store: 'secret-service' } } as const;

/** @param env `MUSTARD_AGENT_KEYCHAIN=off` keeps keys in the file */
async function loadSystemKeychain(env: NodeJS.ProcessEnv = process.env): Promise<Keychain | undefined> {
  if (env['MUSTARD_AGENT_KEYCHAIN'] === 'off') return undefined;
  try {
    const { Entry } = await import('@napi-rs/keyring');
    const entryOf = (name: string): InstanceType<typeof Entry> => new Entry(service, name, options);
    const keychain: Keychain = {
      get: (name) => entryOf(name).getPassword(),
      set: (name, key) => entryOf(name).setPassword(key),
      remove: (name) => void entryOf(name).deletePassword(),
    };
    // Without a secret service (a server, a container) each call throws.
    keychain.get('openai');
    return keychain;
  } catch {
    return undefined;
  }
}

/** Calls a keychain. It throws when it is locked or the person says no. */
function attempt<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
