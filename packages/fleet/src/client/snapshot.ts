import { SandboxError } from '@mustard-sandbox/protocol';

const magic = Buffer.from('MSF1');

/** A snapshot with the release that made it, so that a worker of that release gets it. */
export function writeSnapshot(snapshot: Buffer, release: string): Buffer {
  const name = Buffer.from(release);
  return Buffer.concat([magic, Buffer.from([name.length]), name, snapshot]);
}

/** @throws {SandboxError} `snapshot_refused` for a snapshot that no fleet has made */
export function readSnapshot(bytes: Uint8Array): { snapshot: Uint8Array; release: string } {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const start = magic.length + 1;
  const end = start + (all[magic.length] ?? Infinity);
  if (!all.subarray(0, magic.length).equals(magic) || end > all.length) {
    throw new SandboxError('snapshot_refused', 'The snapshot was not made by a fleet.', {
      details: { refusal: 'damaged' },
    });
  }
  return { snapshot: all.subarray(end), release: all.subarray(start, end).toString() };
}
