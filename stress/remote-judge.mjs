import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** The figures of a server that tell what it holds. */
export async function openCounts(url, token) {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const text = await response.text();
  const gauge = (name) => Number(new RegExp(`^mustard_sandbox_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  return { residentBytes: gauge('resident_bytes'), connections: gauge('connections'), runs: gauge('runs') };
}

/** What is still there after a while. */
export async function leftAfter(ms, look) {
  const until = performance.now() + ms;
  let left = await look();
  while (left.length > 0 && performance.now() < until) {
    await sleep(50);
    left = await look();
  }
  return left;
}

async function filesOf(folder) {
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => join(folder, name));
}

async function blobFolders(store) {
  const tenants = (await readdir(store, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  return tenants.map(({ name }) => join(store, name, 'blobs'));
}

/** The uploads of all tokens. */
export async function storeFiles(store) {
  return (await Promise.all((await blobFolders(store)).map(filesOf))).flat();
}

/** What a server must not keep of one that was killed. */
export async function halfFiles(store) {
  return (await storeFiles(store)).filter((path) => basename(path).startsWith('.partial-'));
}

/** Files that are named by a hash and have another one. A folder stands for the files in it. */
export async function wrongFiles(paths) {
  const wrong = [];
  for (const path of paths) {
    if ((await stat(path)).isDirectory()) wrong.push(...(await wrongFiles(await filesOf(path))));
    else if (!basename(path).startsWith('.partial-') && (await hashOf(path)) !== basename(path)) wrong.push(path);
  }
  return wrong;
}

async function hashOf(path) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
