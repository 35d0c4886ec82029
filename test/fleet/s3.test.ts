import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { s3Store, type ObjectName } from '@mustard-sandbox/fleet';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FileCache } from '../../packages/fleet/src/files/cache.ts';
import { s3StoreOf } from '../../packages/fleet/src/files/s3.ts';
import { readJob } from '../../packages/fleet/src/wire/messages.ts';
import { bucket, giveCredentials, liar, withoutRights } from './buckets.ts';
import { jobBody } from './hostile.ts';
import { noRedis } from './redis.ts';
import { Fleet, folder } from './support.ts';

const nameOf = (content: Buffer): ObjectName => ({
  tenant: 'acme',
  sha256: createHash('sha256').update(content).digest('hex'),
  size: content.length,
});

describe('a store in S3', () => {
  test('keeps files in parts, and gives them to who has a pass for just this one', async () => {
    const { url, server } = await bucket();
    const store = s3StoreOf(url);
    const content = randomBytes(17 * 1024 * 1024);
    const name = nameOf(content);
    expect(await store.has(name)).toBe(false);
    await store.put(name, Readable.from(chunksOf(content)));
    expect([server.multiparts, server.open]).toEqual([1, 0]);
    expect(await store.has(name)).toBe(true);
    expect(await store.has({ ...name, size: 1 })).toBe(false);
    const pass = await store.sign?.(name, 'get', 60_000);
    expect(Buffer.concat(await (await store.get(name, pass)).toArray()).equals(content)).toBe(true);
    const other = nameOf(Buffer.from('other'));
    await store.put(other, Readable.from([Buffer.from('other')]));
    await expect(store.get(other, pass)).rejects.toThrow('status 403');
    const toWrite = await store.sign?.(other, 'get', 60_000);
    await expect(store.put(other, Readable.from(['other']), toWrite)).rejects.toThrow('status 403');
    await expect(store.get(name, '')).rejects.toThrow('status');
    await store.remove?.(name);
    expect(await store.has(name)).toBe(false);
  });

  test('keeps nothing of what is not as its name says', async () => {
    const { url, server } = await bucket();
    const failing = Readable.from(chunksOf(randomBytes(20 * 1024 * 1024), new Error('changed')));
    await expect(s3StoreOf(url).put(nameOf(Buffer.from('x')), failing)).rejects.toThrow('changed');
    expect([server.objects.size, server.open]).toEqual([0, 0]);
  });

  test('puts an object that is old anew, so that a rule may remove by age', async () => {
    const { url, server } = await bucket();
    const store = s3StoreOf(url);
    const name = nameOf(Buffer.from('old'));
    await store.put(name, Readable.from(['old']));
    server.lastModified = new Date(Date.now() - 25 * 60 * 60 * 1_000);
    expect(await store.has(name)).toBe(false);
  });

  test('names wrong options, and what it will not do', () => {
    expect(() => s3Store({ bucket: 'A' })).toThrow('bucket');
    expect(() => s3Store({ bucket: 'abc', endpoint: 'https://host/path' })).toThrow('endpoint');
    expect(() => s3StoreOf('s3://user:secret@bucket')).toThrow(/no user(?!.*secret)/);
    expect(() => s3StoreOf('s3://bucket?password=x')).toThrow("'password'");
    expect(() => s3StoreOf('s3://bucket/../x?prefix=../y')).toThrow('prefix');
  });
});

describe('a store that lies', () => {
  const content = Buffer.alloc(100_000, 1);
  const name = nameOf(content);
  const fetched = async (answer: Parameters<typeof liar>[0]): Promise<unknown> => {
    const { store } = await liar(answer);
    const cache = await FileCache.open(folder(), 10_000_000, store);
    const got = await cache.pin(name, { mtimeMs: 0, pass: '?x=1' }).catch((error: unknown) => error);
    expect(cache.bytes).toBe(0);
    return got;
  };

  test('about what is in a file is found out by its hash', async () => {
    const got = await fetched((_, response) => void response.end(Buffer.alloc(100_000, 2)));
    expect(got).toMatchObject({ code: 'sidecar_unavailable', message: expect.stringContaining('hash') as string });
  });

  test('about the size, by more, by less, or without end, fills no disk', async () => {
    const declared = await fetched((_, response) => void response.end(Buffer.alloc(100_001, 1)));
    expect(declared).toMatchObject({ code: 'sidecar_unavailable' });
    const endless = await fetched((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 1)));
      };
      response.on('drain', more);
      more();
    });
    expect(endless).toMatchObject({ code: 'sidecar_unavailable' });
    const short = await fetched((_, response) => {
      response.write(Buffer.alloc(10, 1));
      response.end();
    });
    expect(short).toMatchObject({ code: 'sidecar_unavailable' });
  });

  test('holds nobody up: it stalls before its answer, in the middle of it, or drips', async () => {
    expect(await fetched(() => {})).toMatchObject({ code: 'sidecar_unavailable' });
    expect(await fetched((_, response) => void response.write('x'))).toMatchObject({ code: 'sidecar_unavailable' });
    const drip = await fetched((_, response) => {
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    });
    expect(drip).toMatchObject({ code: 'sidecar_unavailable' });
  });

  test('holds no client up either', async () => {
    const { store } = await liar(() => {});
    await expect(store.has(name)).rejects.toThrow('300 ms');
    await expect(store.put(name, Readable.from([content]))).rejects.toThrow('300 ms');
  });

  test('leads nobody elsewhere', async () => {
    let visits = 0;
    const elsewhere = await liar((_, response) => (visits++, void response.end(content)));
    const got = await fetched((_, response) => {
      response.writeHead(307, { location: `${elsewhere.endpoint}/x` }).end();
    });
    expect(got).toMatchObject({ code: 'sidecar_unavailable' });
    expect(visits).toBe(0);
  });

  test('is where the worker says, whatever a job says', async () => {
    const seen: string[] = [];
    const { store } = await liar(({ url = '' }, response) => (seen.push(url), void response.writeHead(403).end()));
    const place = `/fleet-files/acme/${name.sha256.slice(0, 2)}/${name.sha256}`;
    for (const pass of ['?x=http://elsewhere/', '?', '?a=1&b=%2F..%2F']) {
      await expect(store.get(name, pass)).rejects.toThrow('403');
    }
    expect(seen.map((url) => url.split('?')[0])).toEqual([place, place, place]);
    // What is no query is refused before it gets there.
    const file = { name: 'a', sha256: name.sha256, size: 1, mtimeMs: 0 };
    for (const pass of ['@elsewhere/?x', '/../other?x', '?a#b', '?a\nHost: b', '?a b', 'x'.repeat(9_000)]) {
      const job = { ...jobBody(), files: [{ ...file, pass }] };
      expect(() => readJob(Buffer.from(JSON.stringify(job))), pass).toThrow('pass');
    }
    expect(readJob(Buffer.from(JSON.stringify({ ...jobBody(), files: [{ ...file, pass: '?a=1' }] })))).toBeDefined();
    for (const answerTo of ['../../other/answers/x', 'a/b', '']) {
      await expect(store.get({ ...name, answerTo }, '?x')).rejects.toMatchObject({ code: 'invalid_request' });
    }
    expect(seen).toHaveLength(3);
  });

  test('that does not let a client in is named', async () => {
    const { url } = await bucket();
    giveCredentials('wrong');
    await expect(s3StoreOf(url).put(name, Readable.from([content]))).rejects.toThrow('SignatureDoesNotMatch');
  });
});

describe.skipIf(noRedis)('a fleet with its files in S3', () => {
  test('runs over files, and passes large inputs, results and snapshots by the store, for workers without rights', async () => {
    const fleet = await Fleet.start();
    const { url, server } = await bucket();
    let largest = 0;
    const monitor = await fleet.server.client().monitor();
    onTestFinished(() => monitor.disconnect());
    monitor.on('monitor', (_time, args: string[]) => void (largest = Math.max(largest, args.join().length)));
    await fleet.worker({ files: withoutRights(s3StoreOf(url)) });
    const sandbox = fleet.client({ files: url });
    const path = join(folder(), 'log');
    writeFileSync(path, 'a line\n'.repeat(1_000));
    const scope = { attachments: [{ name: 'log', path }] };
    const { value } = await sandbox.run({
      script: `const kept = Array.from({ length: 100000 }, (_, n) => 'item ' + n + Math.random());
        const { length } = await call(kept.length); [length, text.length, read_file('attachments:log').length, kept.join()]`,
      inputs: { text: randomBytes(300_000).toString('hex') },
      hostFunctions: { call: () => ({ length: 3 }) },
      scope,
      limits: { timeoutMs: 10_000 },
    });
    const [length, text, read, joined] = value as [number, number, number, string];
    expect([length, text, read]).toEqual([3, 600_000, 7_000]);
    expect(joined.length).toBeGreaterThan(1_000_000);
    expect(largest).toBeLessThan(200_000);
    // Only the file stays: what was of one run goes with it.
    await expect.poll(() => server.objects.size).toBe(1);
  });

  test('keeps a result although the store takes nothing from workers', async () => {
    const fleet = await Fleet.start();
    const { url } = await bucket();
    const store = withoutRights(s3StoreOf(url));
    await fleet.worker({ files: { ...store, put: () => Promise.reject(new Error('full')) } });
    const { value } = await fleet.client({ files: url }).run({ script: `'x'.repeat(300000)` });
    expect(value).toHaveLength(300_000);
  });
});

function* chunksOf(content: Buffer, end?: Error): Generator<Buffer> {
  for (let from = 0; from < content.length; from += 65_536) yield content.subarray(from, from + 65_536);
  if (end !== undefined) throw end;
}
