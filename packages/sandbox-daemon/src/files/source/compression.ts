/** A window is memory that the decompressor holds: 128 MiB, which is what the `zstd` command accepts as well. */
export const maxWindowLog = 27;

/** A compression that is read as what it holds. */
export type Compression = 'gzip' | 'zstd';

/** Recognises it by the first bytes, whatever the name says. */
export function compressionOf(start: Uint8Array): Compression | undefined {
  if (start[0] === 0x1f && start[1] === 0x8b && start[2] === 0x08) return 'gzip';
  return start[0] === 0x28 && start[1] === 0xb5 && start[2] === 0x2f && start[3] === 0xfd ? 'zstd' : undefined;
}
