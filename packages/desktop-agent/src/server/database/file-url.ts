/** A path as the SQLite client takes it. On Windows it wants `file:C:\…`, which `pathToFileURL` does not give. */
export function fileUrl(file: string): string {
  return `file:${file.replaceAll('%', '%25').replaceAll('?', '%3F').replaceAll('#', '%23')}`;
}
