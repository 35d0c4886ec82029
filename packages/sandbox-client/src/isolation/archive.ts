/**
 * Where a file of an Electron application lies on the disk: beside its archive, as the packager left it there.
 *
 * Electron reads files from `app.asar` as if that were a folder, and names those beside it by the path inside. Nobody
 * else does: the kernel takes such a path neither for a working folder nor to bind it into a jail, and a Node of the
 * host's own cannot load it.
 */
export function outsideOfArchive(path: string, isElectron = process.versions['electron'] !== undefined): string {
  return isElectron ? path.replace(/\.asar(?=[/\\])/, '.asar.unpacked') : path;
}
