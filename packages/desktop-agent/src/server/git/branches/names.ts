import { AgentError } from '../../../shared/contract/index.ts';

const maxBytes = 200;

/** Names that git allows for a branch, but for those with characters that a shell, a system or an eye would misread. */
export function isBranchName(name: string): boolean {
  const isPlain =
    /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_./+#@=,()-]*$/u.test(name) &&
    !/\.\.|\/\/|\/[.-]|@\{|\.lock(?:\/|$)|[./]$|^@$/.test(name);
  return isPlain && name !== 'HEAD' && Buffer.byteLength(name) <= maxBytes;
}

/** @throws {AgentError} `invalid_request` */
export function checkBranch(name: string): string {
  if (isBranchName(name)) return name;
  const shown = JSON.stringify(name.slice(0, 100));
  const rule = "Use letters, digits, '-', '_' and '/'; begin with a letter or a digit.";
  throw new AgentError('invalid_request', `${shown} cannot be the name of a branch here. ${rule}`);
}

/** `refs/heads/main` as `main`. */
export function shortName(ref: string): string {
  return ref.replace(/^refs\/heads\//, '');
}

/** The branch of a chat: `mustard/errors-of-monday`. @param taken names that are there already */
export function chatBranchName(title: string, taken: ReadonlySet<string>): string {
  const words = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  const slug = words.slice(0, 50).replaceAll(/^-+|-+$/g, '') || 'chat';
  const lower = new Set([...taken].map((name) => name.toLowerCase()));
  for (let number = 1; ; number++) {
    const name = `mustard/${slug}${number === 1 ? '' : `-${number}`}`;
    if (!lower.has(name)) return name;
  }
}
