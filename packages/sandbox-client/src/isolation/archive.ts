/**
 * The real path of a file of an Electron application, beside the archive, where the packager put it.
 *
 * Electron reads files from `app.asar` as if that were a folder, and names unpacked files by their paths inside it. No
 * other program can use such a path: the kernel accepts it neither as a working folder nor for a mount in a jail, and a
 * separate Node cannot load it.
 */
export function outsideOfArchive(path: string, isElectron = process.versions['electron'] !== undefined): string {
  return isElectron ? path.replace(/\.asar(?=[/\\])/, '.asar.unpacked') : path;
}
