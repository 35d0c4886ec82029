export { memberNamed, openInArchive } from './in-archive.ts';
export { listMembers, membersLike, membersNamedBy } from './list-members.ts';
export { MemberBytes } from './member-bytes.ts';
