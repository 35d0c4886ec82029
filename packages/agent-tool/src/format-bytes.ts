const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** A size for people: `80 MB`, `1.5 KB`, `512 B`. 1024-based; one decimal below 10, none above. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // Compared after rounding, so that 1,048,575 bytes are 1 MB and not 1024 KB.
  while (rounded(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${rounded(value)} ${units[unit]}`;
}

function rounded(value: number): number {
  return value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value);
}
