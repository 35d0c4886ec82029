import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * IPv4 addresses that are not of the public internet: the registry of IANA for special purposes, multicast, and the
 * address at which virtual machines of Azure find their host.
 */
const special4: readonly [string, number][] = [
  ...[['0.0.0.0', 8] as const, ['10.0.0.0', 8] as const, ['100.64.0.0', 10] as const, ['127.0.0.0', 8] as const],
  ...[['169.254.0.0', 16] as const, ['172.16.0.0', 12] as const, ['192.0.0.0', 24] as const],
  ...[['192.0.2.0', 24] as const, ['192.88.99.0', 24] as const, ['192.168.0.0', 16] as const],
  ...[['198.18.0.0', 15] as const, ['198.51.100.0', 24] as const, ['203.0.113.0', 24] as const],
  ...[['224.0.0.0', 4] as const, ['240.0.0.0', 4] as const, ['168.63.129.16', 32] as const],
].map(([address, bits]) => [address, bits]);

/** Of IPv6, only this network is public. Of it, these parts are not, or carry an IPv4 address that could be any. */
const public6 = ['2000::', 3] as const;
const special6: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const blocked = new BlockList();
for (const [address, bits] of special4) blocked.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of special6) blocked.addSubnet(address, bits, 'ipv6');
const open6 = new BlockList();
open6.addSubnet(...public6, 'ipv6');

/**
 * Whether an address is of the public internet and not of this machine. The forms of IPv6 that carry an IPv4 address
 * never are.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return false;
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  if (blocked.check(address, kind) || (family === 6 && !open6.check(address, kind))) return false;
  return !isOwn(address, kind);
}

/** Servers often have a public address themselves. Behind it is everything that listens on this machine. */
function isOwn(address: string, kind: 'ipv4' | 'ipv6'): boolean {
  const own = new BlockList();
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((each) => each ?? [])) {
    own.addAddress(address, family === 'IPv4' ? 'ipv4' : 'ipv6');
  }
  return own.check(address, kind);
}
