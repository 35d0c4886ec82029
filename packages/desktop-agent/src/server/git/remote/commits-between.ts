import type { Commits } from '../../../shared/contract/index.ts';
import type { Scratch } from './scratch.ts';

const maxShown = 50;
const maxText = 300;

/** The commits that lead to one and to none of the others. */
export async function commitsBetween(scratch: Scratch, to: string, without: readonly string[]): Promise<Commits> {
  const range = [to, ...without.map((commit) => `^${commit}`)];
  const count = Number(await scratch.ask(['rev-list', '--count', ...range, '--']));
  const format = '--format=%H%x00%an%x00%s%x00';
  const text = await scratch.ask(['rev-list', `--max-count=${maxShown}`, '--no-commit-header', format, ...range, '--']);
  const parts = text.split('\0');
  const shown: Commits['shown'] = [];
  for (let at = 0; at + 3 < parts.length + 1 && parts[at + 2] !== undefined; at += 3) {
    const [commit = '', author = '', subject = ''] = parts.slice(at, at + 3);
    shown.push({ commit: commit.trim(), author: author.slice(0, maxText), subject: subject.slice(0, maxText) });
  }
  return { count, shown };
}

/** How many commits lead to one and not to another. */
export async function countBetween(scratch: Scratch, to: string, without: string): Promise<number> {
  return Number(await scratch.ask(['rev-list', '--count', to, `^${without}`, '--']));
}

/** @returns `false`, too, for a commit that no longer exists */
export async function hasCommit(scratch: Scratch, commit: string): Promise<boolean> {
  return (await scratch.run(['cat-file', '-e', `${commit}^{commit}`])).code === 0;
}
