/** A path as the SQLite client takes it. Not `pathToFileURL`: on Windows the client wants `file:C:\…`. */
export function fileUrl(file: string): string {
  return `file:${file.replaceAll('%', '%25').replaceAll('?', '%3F').replaceAll('#', '%23')}`;
}
