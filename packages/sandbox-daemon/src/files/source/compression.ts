/** The decompressor holds its window in memory. The command `zstd` also accepts 128 MiB. */
export const maxWindowLog = 27;

/** A compression whose content is read. */
export type Compression = 'gzip' | 'zstd';

/** Recognises a compression by the first bytes, whatever the name of the file. */
export function compressionOf(start: Uint8Array): Compression | undefined {
  if (start[0] === 0x1f && start[1] === 0x8b && start[2] === 0x08) return 'gzip';
  return start[0] === 0x28 && start[1] === 0xb5 && start[2] === 0x2f && start[3] === 0xfd ? 'zstd' : undefined;
}
