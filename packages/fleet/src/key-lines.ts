import { randomBytes } from 'node:crypto';
import type { Key } from '@mustard-sandbox/client/seal';
import { invalidRequest } from '@mustard-sandbox/protocol';

/** A tenant in a file of keys. */
export interface KeyedTenant {
  name: string;
  /** Its share compared with other tenants. */
  weight: number;
  /** The first key seals. */
  keys: Key[];
}

/** A line for a file of keys with a new key: `TENANT KEY_ID KEY`. The key is base64. */
export function newKeyLine(tenant: string, id: string): string {
  return `${tenant} ${id} ${randomBytes(32).toString('base64')}`;
}

/**
 * The tenants in a file of keys. A line is `TENANT KEY_ID KEY`, or `TENANT KEY_ID KEY WEIGHT`. A tenant may have
 * several lines, the newest key first. Empty lines and lines that begin with `#` are ignored.
 *
 * @throws {SandboxError} `invalid_request`, without any part of a key
 */
export function readKeyLines(text: string, what: string): KeyedTenant[] {
  const tenants = new Map<string, KeyedTenant>();
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  for (const [index, line] of lines.entries()) {
    if (line === '' || line.startsWith('#')) continue;
    const [name = '', id, key, weight, ...more] = line.split(/\s+/);
    if (id === undefined || key === undefined || more.length > 0) {
      throw invalidRequest(what, `line ${index + 1} is not TENANT KEY_ID KEY, or TENANT KEY_ID KEY WEIGHT`);
    }
    const tenant = tenants.get(name) ?? { name, weight: 1, keys: [] };
    tenant.keys.push({ id, key: Buffer.from(key, 'base64') });
    if (weight !== undefined) tenant.weight = Number(weight);
    tenants.set(name, tenant);
  }
  if (tenants.size === 0) throw invalidRequest(what, 'it has no keys. `mustard-sandbox fleet key TENANT` makes one');
  return [...tenants.values()];
}
