import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { AgentError } from '../../../shared/contract/index.ts';
import { headOf, type Repository } from '../repository.ts';
import type { Address } from './addresses.ts';
import { runGit, usualLimits, type GitEnd, type RunLimits } from './run-git.ts';
import { readable } from './said.ts';

/** What a server may send at once. A larger repository is fetched in a terminal. */
const maxFetchedBytes = 2 * 1024 ** 3;

/** The name of the remote in the scratch repository: one that no settings of the person are for. */
export const remoteName = 'mustard-agent';

/** What no remote needs, and what the person may have switched on for repositories that they trust. */
const settings: Readonly<Record<string, string>> = {
  'core.hooksPath': devNull,
  'core.fsmonitor': 'false',
  'core.alternateRefsCommand': 'true',
  'core.askPass': '',
  // Files beside the objects that could lie about them.
  'core.commitGraph': 'false',
  'core.multiPackIndex': 'false',
  'pack.useBitmaps': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'fetch.fsckObjects': 'true',
  'transfer.bundleURI': 'false',
  // Always a pack, which is moved as a whole.
  'fetch.unpackLimit': '1',
  'http.followRedirects': 'false',
  'credential.interactive': 'false',
  'merge.renormalize': 'false',
  'push.gpgSign': 'false',
  'push.followTags': 'false',
  'submodule.recurse': 'false',
};

/** A remote in a folder runs nothing that the folder names, such as its hooks. */
const folderServer = `git -c core.hooksPath=${devNull} -c core.fsmonitor=false -c core.alternateRefsCommand=true -c gc.auto=0 -c receive.autogc=false -c receive.denyCurrentBranch=refuse`;

export interface ScratchOptions {
  dataDir: string;
  signal?: AbortSignal | undefined;
  onProgress?: ((line: string) => void) | undefined;
  limits?: RunLimits & { fetchedBytes?: number };
}

/** Addresses that begin with `prefix` begin with `base` instead. */
export interface Rewrite {
  base: string;
  prefix: string;
  isForPush: boolean;
}

/**
 * A bare repository of ours, in the data folder, that borrows the objects of an app's. git runs in it, so that it reads no
 * settings, hooks and attributes of the app's own, which may come from a stranger, and never writes there.
 */
export class Scratch implements AsyncDisposable {
  readonly folder: string;
  readonly #options: ScratchOptions;
  #rewrites: Promise<GitEnd> | undefined;

  private constructor(folder: string, options: ScratchOptions) {
    this.folder = folder;
    this.#options = options;
  }

  /** @throws {AgentError} `no_git` for a repository whose objects lie elsewhere, or are not all there */
  static async make(repository: Repository, options: ScratchOptions): Promise<Scratch> {
    await refuseBorrowedObjects(repository);
    const folder = join(options.dataDir, 'git', randomUUID());
    for (const name of ['objects/info', 'objects/pack', 'refs/heads']) {
      await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
    }
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
    await writeFile(join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
    await writeFile(join(folder, 'objects/info/alternates'), `${join(repository.gitdir, 'objects')}\n`);
    const scratch = new Scratch(folder, options);
    // So that a server sends only what is new.
    const { commit } = await headOf(repository);
    if (commit !== null) await scratch.keep('here', commit);
    return scratch;
  }

  /** Names a commit, so that git knows that it is there. */
  async keep(name: string, commit: string): Promise<void> {
    await writeFile(join(this.folder, 'refs/heads', name), `${commit}\n`);
  }

  async commitOf(name: string): Promise<string> {
    return (await readFile(join(this.folder, 'refs/heads', name), 'utf8')).trim();
  }

  /** Runs git, whatever it ends with. @throws {AgentError} as `runGit` */
  async run(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<GitEnd> {
    const { signal, limits } = this.#options;
    return await runGit(args, {
      folder: this.folder,
      settings: { ...settings, ...more },
      env: { GIT_ALLOW_PROTOCOL: 'none' },
      signal,
      ...(limits && { limits }),
    });
  }

  /** What git prints. @throws {AgentError} `internal` when it fails */
  async ask(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, more);
    if (code === 0) return stdout;
    throw new AgentError('internal', `git ${args[0]} failed, and nothing was changed. git said: ${readable(stderr)}`);
  }

  /** The person's own rules for addresses: `url.….insteadOf` and `pushInsteadOf`. */
  async rewrites(): Promise<readonly Rewrite[]> {
    this.#rewrites ??= this.run(['config', '-z', '--get-regexp', String.raw`^url\..*insteadof$`]);
    return (await this.#rewrites).stdout.split('\0').flatMap((entry) => {
      const [, base, kind, prefix] = /^url\.(.*)\.(push)?insteadof\n(.*)$/s.exec(entry) ?? [];
      return base === undefined || prefix === undefined ? [] : [{ base, prefix, isForPush: kind !== undefined }];
    });
  }

  /** Runs git with one remote, `remoteName`. */
  async talk(args: readonly string[], { protocol, url }: Address): Promise<GitEnd> {
    const { signal, onProgress, limits } = this.#options;
    const most = limits?.fetchedBytes ?? maxFetchedBytes;
    const isFolder = protocol === 'file';
    const watch = async (): Promise<Error | undefined> => {
      return (await sizeOf(join(this.folder, 'objects/pack'))) > most ? tooMuchSent(most) : undefined;
    };
    const end = await runGit(args, {
      folder: this.folder,
      settings: {
        ...settings,
        [`remote.${remoteName}.url`]: url,
        'http.lowSpeedLimit': '1',
        'http.lowSpeedTime': String(Math.ceil((limits ?? usualLimits).silenceMs / 1000)),
        ...(isFolder && {
          [`remote.${remoteName}.uploadpack`]: `${folderServer} upload-pack`,
          [`remote.${remoteName}.receivepack`]: `${folderServer} receive-pack`,
        }),
      },
      env: { GIT_ALLOW_PROTOCOL: protocol, ...(protocol === 'ssh' && (await this.#sshCommand())) },
      signal,
      onProgress,
      ...(limits && { limits }),
      watch,
    });
    const grown = await watch();
    if (grown !== undefined) throw grown;
    return end;
  }

  /** That of the person, which asks nothing. */
  async #sshCommand(): Promise<Record<string, string>> {
    if (process.env['GIT_SSH'] !== undefined) return {};
    const configured = await this.run(['config', '--get', 'core.sshCommand']);
    const command = process.env['GIT_SSH_COMMAND'] ?? (configured.stdout.trim() || 'ssh');
    const isOpenSsh = /^(?:\S*[/\\])?ssh(?:\.exe)?(?:\s|$)/.test(command);
    return isOpenSsh ? { GIT_SSH_COMMAND: `${command} -o BatchMode=yes -o ConnectTimeout=20` } : {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder).catch((): string[] => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function tooMuchSent(most: number): AgentError {
  const size = most >= 1024 ** 3 ? `${most / 1024 ** 3} GB` : `${most} bytes`;
  return new AgentError('limit_exceeded', `The server sends over ${size}. Fetch in a terminal. Nothing was changed.`);
}

/** Objects that are linked from elsewhere may be secrets of other repositories, which a push would send away. */
async function refuseBorrowedObjects({ files, gitdir }: Repository): Promise<void> {
  const refused = (why: string): AgentError => {
    return new AgentError('no_git', `This repository ${why}, so the agent does not do this. Use git in a terminal.`);
  };
  const objects = join(gitdir, 'objects');
  if (/[\n"]/.test(objects)) throw refused('has a line break or a quote in its path');
  for (const name of await files.list(objects)) {
    if ((await lstat(join(objects, name))).isSymbolicLink()) throw refused('has objects behind a link');
  }
  const info = await readdir(join(objects, 'info')).catch((): string[] => []);
  if (info.includes('alternates') || info.includes('http-alternates')) throw refused('borrows objects of another one');
  for (const entry of await readdir(join(objects, 'pack'), { withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) throw refused('has objects behind a link');
  }
  if ((await files.list(gitdir)).includes('shallow')) throw refused('is a shallow clone');
}
