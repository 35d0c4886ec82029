// Addresses of remotes. They stand in the configuration of a repository, which may come from a stranger.
import { isAbsolute, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The protocols that are used, by their names in `GIT_ALLOW_PROTOCOL`. */
type Protocol = 'https' | 'http' | 'ssh' | 'file';

export interface Address {
  protocol: Protocol;
  /** What git gets. May have a password. */
  url: string;
  /** What a person sees, and agrees to. */
  shown: string;
}

const maxLength = 2000;
const user = String.raw`(?:[^\s\\/@]+@)?`;
const host = String.raw`(?:\[[\da-f:]+\]|[a-z\d][\w.-]*)(?::\d{1,5})?`;
const web = new RegExp(String.raw`^(https?)://(${user})(${host})(/[^\s\\]*)?$`, 'i');
const ssh = new RegExp(String.raw`^(?:git\+)?ssh://(?:[\w][\w.+-]*@)?${host}/(?!-)[^\s\\]*$`, 'i');
/** `user@host:path`. A path that begins with '-' would be an option of a program on the server. */
const scp = /^(?:\w[\w.+-]*@)?[a-z\d][\w.-]+:(?![-:]|\/\/)[^\s\\]+$/i;

/**
 * Reads an address. git takes some for programs to start (`ext::`) and some for options, so all but four kinds are refused.
 *
 * @param root the folder that relative ones begin at, absolute
 * @returns why it is not used, as the end of a sentence that begins with the remote's name
 */
export function readAddress(url: string, root: string): Address | string {
  if (url === '') return 'has no address';
  // What cannot be seen cannot be agreed to.
  if (isUnseen(url)) {
    return 'has an address with characters that cannot be seen, or with over 2,000 of them';
  }
  const found = web.exec(url);
  if (found !== null) {
    const [, scheme = '', , place = '', path = ''] = found;
    return { protocol: scheme.toLowerCase() as 'https', url, shown: `${scheme.toLowerCase()}://${place}${path}` };
  }
  if (ssh.test(url) || (scp.test(url) && !isDrive(url))) return { protocol: 'ssh', url, shown: url };
  const folder = folderOf(url, root);
  if (folder === undefined) return 'is neither https, http, ssh nor a folder, so it is not used here';
  // A repository that came with the app would be a stranger's, too.
  if (folder === root || folder.startsWith(root + sep))
    return 'is a folder inside of this repository, so it is not used here';
  return { protocol: 'file', url: folder, shown: folder };
}

export function isUnseen(url: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(url) || url.length > maxLength;
}

function isDrive(url: string): boolean {
  return process.platform === 'win32' && /^[a-z]:/i.test(url);
}

function folderOf(url: string, root: string): string | undefined {
  if (/^file:\/\//i.test(url)) {
    try {
      return resolve(fileURLToPath(url));
    } catch {
      return undefined;
    }
  }
  // For git, a colon before the first slash makes it a host, or the name of a program.
  if (/^[^/]*:/.test(url) && !isDrive(url)) return undefined;
  return isAbsolute(url) || /^\.{1,2}(?:\/|$)/.test(url) ? resolve(root, url) : undefined;
}

/** Takes users and passwords out of the addresses in a text. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/\b(https?:\/\/)[^\s/@]+@/gi, '$1');
}
