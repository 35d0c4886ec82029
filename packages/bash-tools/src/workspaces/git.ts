import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { inJail } from '../backends/local/in-jail.ts';
import type { JailKit } from '../backends/local/jail.ts';
import { resolver, type Folders } from '../backends/local/toolchain.ts';
import type { GitSeed } from './seed.ts';
import { failed } from './upload.ts';

const source = '/seed';
/** How long a clone may take before it is given up, in ms. */
const cloneTimeoutMs = 10 * 60_000;
const listTimeoutMs = 60_000;

/** The owner of the files is another user inside. We mounted the folder there, so git may trust it. */
const trusted: [string, string][] = [['safe.directory', '*']];

/**
 * The files that git tracks in a folder, as paths with `/`; `undefined` when it is not a repository. git runs in a
 * jail, because the configuration of a repository names commands, and git runs them.
 *
 * @throws {BashError} `seed_failed`
 */
export async function trackedFiles(
  makeKit: () => Promise<JailKit>,
  folders: Folders,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<string[] | undefined> {
  if (!existsSync(join(folder, '.git'))) return undefined;
  const kit = await makeKit().catch((error: unknown) => {
    throw failed(
      `${folder} is a repository, and git can only be asked in a jail. With \`include\` git is not asked.`,
      error,
    );
  });
  // A program that the configuration names could put the configuration, with its passwords, into the workspace.
  const command = `cd ${source} && git ls-files -z --cached`;
  const mounts = ['--ro-bind', realpathSync(folder), source];
  const run = {
    kit: { ...kit, network: false },
    folders,
    mounts,
    env: configuration([...trusted, ['core.fsmonitor', 'false']]),
    signal,
  };
  const { exitCode, stdout, stderr } = await inJail(command, run, listTimeoutMs);
  if (exitCode === 0) return [...new Set(stdout.toString('utf8').split('\0').filter(Boolean))];
  throw failed(`git could not list ${folder}: ${lastLine(stderr)} With \`include\` git is not asked.`);
}

/**
 * Clones a repository into the workspace. Only this one command has the credentials, in its environment.
 *
 * @throws {BashError} `seed_failed`
 */
export async function clone(
  kit: JailKit,
  folders: Folders,
  { url, revision, credentials }: GitSeed,
  signal: AbortSignal | undefined,
): Promise<void> {
  const isRemote = /^https?:\/\//i.test(url);
  if (!isRemote && !existsSync(url)) throw failed(`${url} is neither an http(s) URL nor a folder.`);
  const settings: [string, string][] = [...trusted, ['advice.detachedHead', 'false'], ['core.hooksPath', '/dev/null']];
  if (credentials !== undefined) {
    const basic = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
    // A redirection would send the header to another host.
    settings.push(['http.extraHeader', `Authorization: Basic ${basic}`], ['http.followRedirects', 'false']);
  }
  const env = {
    ...configuration(settings),
    GIT_ALLOW_PROTOCOL: isRemote ? 'http:https' : 'file',
    SEED_URL: isRemote ? url : source,
    SEED_REVISION: revision ?? '',
  };
  const mounts = isRemote ? resolver() : ['--ro-bind', realpathSync(url), source];
  const run = { kit: { ...kit, network: isRemote }, folders, mounts, env, signal };
  const { exitCode, stderr } = await inJail(cloning, run, cloneTimeoutMs);
  if (exitCode !== 0) throw failed(`git could not clone ${url}: ${lastLine(stderr)}`);
}

// A clone starts a second git, which does not get the setting for the owner from the environment of the first.
const cloning = `
export GIT_CONFIG_GLOBAL=/tmp/seed.gitconfig; git config --global safe.directory '*'; trap 'rm -f "$GIT_CONFIG_GLOBAL"' EXIT
git clone --quiet --no-checkout --no-local -- "$SEED_URL" . || exit
if [ -z "$SEED_REVISION" ]; then git checkout --quiet; exit; fi
commit=$(git rev-parse --verify --quiet "origin/$SEED_REVISION^{commit}" || git rev-parse --verify --quiet "$SEED_REVISION^{commit}")
if [ -z "$commit" ]; then echo "there is no revision $SEED_REVISION" >&2; exit 1; fi
git checkout --quiet --detach "$commit"`;

/** Settings of git by its environment, so that they are written to no file. */
function configuration(settings: readonly [string, string][]): Record<string, string> {
  const entries = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return Object.fromEntries([['GIT_CONFIG_COUNT', String(settings.length)], ...entries]) as Record<string, string>;
}

function lastLine(stderr: string): string {
  const line = stderr.trim().split('\n').at(-1) ?? '';
  return `${line.slice(0, 300).replace(/\.$/, '')}.`;
}
