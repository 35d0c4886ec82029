import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** Registries of packages, for a host that offers them together. */
export const registryDomains: readonly string[] = [
  'registry.npmjs.org',
  'registry.yarnpkg.com',
  'pypi.org',
  'files.pythonhosted.org',
  'crates.io',
  'index.crates.io',
  'static.crates.io',
  'proxy.golang.org',
  'sum.golang.org',
];

/** Names that only this machine or its network resolves. */
const localEndings = new Set(['localhost', 'local', 'internal', 'intranet', 'lan', 'home', 'corp', 'arpa', 'onion']);

/**
 * A domain of the allow-list in its one form: in small letters, as ASCII, without the dot at the end. `*.example.com`
 * means all domains below it, and not itself.
 *
 * @returns `undefined` for what is no public domain: an address in any form, a name without a dot, a name of a local
 *   network, a URL
 */
export function parseDomain(text: string): string | undefined {
  const trimmed = text.trim();
  const isWild = trimmed.startsWith('*.');
  const name = nameOf(isWild ? trimmed.slice(2) : trimmed);
  if (name === undefined || !name.includes('.')) return undefined;
  if (localEndings.has(name.slice(name.lastIndexOf('.') + 1))) return undefined;
  return isWild ? `*.${name}` : name;
}

/**
 * The host of a request in the form of the allow-list; `undefined` for an address, also as a number, octal or
 * hexadecimal, and for what is no name.
 */
export function nameOf(host: string): string | undefined {
  if (!/^[^\s/\\@:?#[\]%]{1,255}$/.test(host)) return undefined;
  const name = domainToASCII(host).toLowerCase().replace(/\.$/, '');
  const labels = name.split('.');
  if (name.length > 253 || labels.some((label) => !/^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(label))) return undefined;
  // `domainToASCII` turns numbers of all forms into an address.
  return isIP(name) !== 0 || /^(?:\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '') ? undefined : name;
}

/** @param domains as `parseDomain` returns them */
export function isAllowed(name: string, domains: readonly string[]): boolean {
  return domains.some((domain) => (domain.startsWith('*.') ? name.endsWith(domain.slice(1)) : name === domain));
}
