/** A file in an archive. */
export interface Member {
  /** The unpacked size, in bytes. */
  size: number;
  /** Why the file cannot be read; completes "it is …". Absent for a readable one. */
  refusal?: string;
}

/** The files in an archive. Only what is read is unpacked. */
export interface Archive<M extends Member = Member> {
  /** The files by path, with single slashes between segments. Names that no script may write are left out. */
  readonly members: ReadonlyMap<string, M>;
  /**
   * The content of a file, in pieces. Each piece overwrites the one before. It does not count to what the run may read.
   *
   * @throws {BrokenArchive} for data that is cut off or does not match the archive's directory; the errors of a decompressor
   */
  read(member: M): Generator<Buffer, void>;
}

/** The most files in an archive, because listing more takes long. */
export const maxMembers = 100_000;

export const linkInArchive = 'a link in the archive, and no link in one is followed';
export const otherInArchive = 'no regular file';
export const twiceInArchive = 'in the archive more than once';

/** Says what is wrong with an archive; completes "it cannot be read: …". */
export class BrokenArchive extends Error {}
