// Which names and addresses the proxy of commands lets through.
import { networkInterfaces } from 'node:os';
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { parseDomain } from '@mustard-sandbox/bash-tools';
import { isPublicAddress } from '../../../packages/bash-tools/src/network/addresses.ts';
import { isAllowed, nameOf } from '../../../packages/bash-tools/src/network/domains.ts';

test.each([
  ['EXAMPLE.com', 'example.com'],
  [' example.com. ', 'example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['ＥＸＡＭＰＬＥ．ｃｏｍ', 'example.com'],
  ['*.Example.com', '*.example.com'],
  ['a_b.example.com', 'a_b.example.com'],
])('%j is the domain %s', (text, domain) => {
  expect(parseDomain(text)).toBe(domain);
});

test.each([
  ...['', '.', '..', '*', '*.', '*.com.*', '*.*.com', 'a..com', 'com', 'localhost', 'db.localhost', 'printer.local'],
  ...['metadata.google.internal', '1.0.0.127.in-addr.arpa', 'example.com/x', 'http://example.com', 'user@example.com'],
  ...['example.com:80', 'exa mple.com', 'example.com\n', '-a.com', 'a-.com', `${'a'.repeat(64)}.com`, 'a.com\0'],
  ...['127.0.0.1', '2130706433', '0177.0.0.1', '0x7f.1', '0x7f000001', '127.1', '[::1]', '::1', '[::ffff:127.0.0.1]'],
  ...['1.2.3.4.', '１２７.0.0.1', 'example.%31', `${'a.'.repeat(127)}com`],
])('%j is no domain', (text) => {
  expect(text.includes('\n') ? nameOf(text) : parseDomain(text)).toBeUndefined();
});

it('an allowed domain allows itself, and with a star what is below it', () => {
  expect(isAllowed('example.com', ['example.com'])).toBe(true);
  for (const name of ['a.example.com', 'badexample.com', 'example.com.evil.org', 'xexample.com']) {
    expect(isAllowed(name, ['example.com'])).toBe(false);
  }
  expect(isAllowed('a.b.example.com', ['*.example.com'])).toBe(true);
  for (const name of ['example.com', 'badexample.com']) expect(isAllowed(name, ['*.example.com'])).toBe(false);
});

test.each([
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254', '169.254.169.254'],
  ...['172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1'],
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
  ...[
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    'ff02::1',
    '100::1',
    '64:ff9b::a00:1',
  ],
  ...['64:ff9b:1::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8'],
  ...['::8.8.8.8', '::ffff:0:8.8.8.8', '', 'example.com', '8.8.8', '08.8.8.8', '8.8.8.8:80'],
])('%j is no public address', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.0', '172.32.0.0', '2606:4700::1111', '2a00:1450::1'])(
  '%s is a public address',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

it('an address of this machine is none, whatever it is', () => {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  expect(own.length).toBeGreaterThan(0);
  for (const { address } of own) expect(isPublicAddress(address)).toBe(false);
});

it('no IPv4 address in a form of IPv6 is public', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(byte, byte, byte, byte, (a, b, c, d) => {
      const hex = [(a << 8) | b, (c << 8) | d].map((part) => part.toString(16)).join(':');
      for (const prefix of ['::ffff:', '::', '64:ff9b::', '2002:']) {
        expect(isPublicAddress(prefix === '2002:' ? `2002:${hex}::` : `${prefix}${hex}`)).toBe(false);
      }
    }),
  );
});

it('whatever is in the list of domains is no address and has a dot', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.webAuthority(), fc.domain(), fc.ipV4(), fc.ipV4Extended(), fc.ipV6(), fc.string()),
      (text) => {
        const domain = parseDomain(text);
        if (domain === undefined) return;
        const url = new URL(`http://${domain.replace(/^\*\./, '')}/`);
        expect(`${domain.startsWith('*.') ? '*.' : ''}${url.hostname}`).toBe(domain);
        expect(url.hostname).toMatch(/\.[a-z0-9-]*[a-z_-][a-z0-9_-]*$/);
      },
    ),
  );
});
