// The remotes of a repository, whose configuration may come from a stranger.
import { AgentError, type Remote, type Upstream } from '../../../shared/contract/index.ts';
import { isBranchName } from '../branches/names.ts';
import type { Repository } from '../repository.ts';
import { isUnseen, readAddress, withoutCredentials, type Address } from './addresses.ts';
import type { Rewrite, Scratch } from './scratch.ts';

const maxRemotes = 20;

/** `getall` and `getSubsections` are missing in the types of isomorphic-git. */
interface WholeConfig {
  getall(key: string): Promise<(string | number | boolean | undefined)[]>;
  getSubsections(section: string): Promise<(string | undefined)[]>;
}

type Read = { address: Address; pushAddress: Address } | { refused: string; url: string };

/** With what the person's own settings make of the addresses, such as `url.….insteadOf`. */
export async function readRemotes(repository: Repository, scratch: Scratch): Promise<Remote[]> {
  const names = (await namesOf(repository)).slice(0, maxRemotes);
  return await Promise.all(names.map(async (name) => shownRemote(name, await readRemote(repository, name, scratch))));
}

function shownRemote(name: string, read: Read): Remote {
  if ('refused' in read) return { name, url: read.url, pushUrl: read.url, refused: read.refused };
  return { name, url: read.address.shown, pushUrl: read.pushAddress.shown, refused: null };
}

/**
 * The addresses of a remote that a person has seen and agreed to.
 *
 * @throws {AgentError} `changed` when they are other ones by now, `denied` when they are not used here
 */
export async function requireRemote(
  repository: Repository,
  agreed: { remote: string; url: string; pushUrl: string },
  scratch: Scratch,
): Promise<{ address: Address; pushAddress: Address }> {
  const { remote: name } = agreed;
  const isThere = (await namesOf(repository)).includes(name);
  const read = isThere ? await readRemote(repository, name, scratch) : undefined;
  if (read !== undefined && 'refused' in read) throw new AgentError('denied', read.refused);
  if (read?.address.shown === agreed.url && read.pushAddress.shown === agreed.pushUrl) return read;
  const shown = JSON.stringify(name.slice(0, 100));
  throw new AgentError('changed', `The remote ${shown} is not any more what was shown. Look at it again.`);
}

async function namesOf({ config }: Repository): Promise<string[]> {
  const names = await (config as unknown as WholeConfig).getSubsections('remote');
  return [...new Set(names.flatMap((name) => (name === undefined || name === '' ? [] : [name])))];
}

async function readRemote(repository: Repository, name: string, scratch: Scratch): Promise<Read> {
  const all = async (key: string): Promise<string[]> => {
    const values = await (repository.config as unknown as WholeConfig).getall(`remote.${name}.${key}`);
    return values.flatMap((value) => (value === undefined ? [] : [String(value)]));
  };
  const [urls, pushUrls] = [await all('url'), await all('pushurl')];
  const url = withoutCredentials((urls[0] ?? '').slice(0, 300)).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '?');
  const refuse = (why: string): Read => {
    return { url, refused: `The remote ${JSON.stringify(name.slice(0, 100))} ${why}. Use git in a terminal for it.` };
  };
  if (!isBranchName(name)) return refuse('has a name that is not used here');
  if (urls.length > 1 || pushUrls.length > 1) return refuse('has several addresses');
  const fetched = await realAddress(scratch, repository.root, urls[0] ?? '', 'fetch');
  if (typeof fetched === 'string') return refuse(fetched);
  // `pushInsteadOf` is for remotes without an address of their own for pushing.
  const [pushUrl, kind] =
    pushUrls[0] === undefined ? [urls[0] ?? '', 'push' as const] : [pushUrls[0], 'fetch' as const];
  const pushed = await realAddress(scratch, repository.root, pushUrl, kind);
  if (typeof pushed === 'string') return refuse(pushed);
  return { address: fetched, pushAddress: pushed };
}

/** @returns why it is not used */
async function realAddress(
  scratch: Scratch,
  root: string,
  url: string,
  kind: 'fetch' | 'push',
): Promise<Address | string> {
  // What git would not even take as a value of its settings.
  if (isUnseen(url) || url === '') return readAddress(url, root);
  const rules = await scratch.rewrites();
  const address = readAddress(rewritten(url, kind, rules), root);
  if (typeof address === 'string') return address;
  // git does it once more with what it gets.
  return rewritten(address.url, kind, rules) === address.url
    ? address
    : 'has an address that your own settings of git (insteadOf) would change twice';
}

/** As git does it: the longest beginning that fits, and one for pushing before all others. */
function rewritten(url: string, kind: 'fetch' | 'push', rules: readonly Rewrite[]): string {
  const longest = (isForPush: boolean): Rewrite | undefined => {
    const fitting = rules.filter((rule) => rule.isForPush === isForPush && url.startsWith(rule.prefix));
    return fitting.sort((a, b) => b.prefix.length - a.prefix.length)[0];
  };
  const rule = (kind === 'push' ? longest(true) : undefined) ?? longest(false);
  return rule === undefined ? url : rule.base + url.slice(rule.prefix.length);
}

/** Where a branch is pushed to and pulled from: what its settings say, else the usual remote and the same name. */
export async function upstreamOf(
  repository: Repository,
  branch: string,
  remotes: readonly Remote[],
): Promise<Upstream | null> {
  const text = async (key: string): Promise<string> =>
    String((await repository.config.get(`branch.${branch}.${key}`)) ?? '');
  const remote = await text('remote');
  const there = (await text('merge')).replace(/^refs\/heads\//, '');
  if (remotes.some(({ name }) => name === remote) && isBranchName(there)) return { remote, branch: there, isSet: true };
  const usual = remotes.find(({ name }) => name === 'origin') ?? remotes[0];
  return usual === undefined || !isBranchName(branch) ? null : { remote: usual.name, branch, isSet: false };
}
