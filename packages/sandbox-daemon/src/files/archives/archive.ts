/** A file in an archive. */
export interface Member {
  /** In bytes, unpacked. */
  size: number;
  /** Why it cannot be read, if so; completes "it is …". */
  refusal?: string;
}

/** The files in an archive. Nothing is unpacked but what is read. */
export interface Archive<M extends Member = Member> {
  /** By paths with single slashes between their segments. Names that no script may write are left out. */
  readonly members: ReadonlyMap<string, M>;
  /**
   * What a file in it holds, in pieces. The next overwrites the one before. Nothing is counted.
   *
   * @throws {BrokenArchive} for data that is cut off, or not what the archive says; what a decompressor throws for broken data
   */
  read(member: M): Generator<Buffer, void>;
}

/** More are not needed, and hold up whoever lists them. */
export const maxMembers = 100_000;

export const linkInArchive = 'a link in the archive, and no link in one is followed';
export const otherInArchive = 'no regular file';
export const twiceInArchive = 'in the archive more than once';

/** Says what is wrong with an archive; completes "it cannot be read: …". */
export class BrokenArchive extends Error {}
