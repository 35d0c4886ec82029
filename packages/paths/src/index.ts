// Which paths and names a script, a tool or a remote client may use. There is one guard, one list of secrets and one
// kind of glob.
export { PathCall } from './call.ts';
export { compileFindGlob, isGlob, type FindGlob } from './find-glob.ts';
export { FolderFiles, type FolderEntry, type FolderRules } from './folder-files.ts';
export { compileDenyGlob, fold as foldName, matchesAny, type DenyGlob } from './glob.ts';
export { byDescriptor, byName, openFlags, openFolderFlags, systemLocator, type Locator } from './locate.ts';
export {
  deniedMembers,
  memberMark,
  memberPathOf,
  memberSegments,
  type DeniedMembers,
  type MemberPath,
} from './member.ts';
export { openFile, requireTree, withFile, withOpened, type Files, type OpenFile } from './open.ts';
export {
  formatOfOutput,
  outputEndings,
  outputFormats,
  problemOfOutputName,
  startOfOutput,
  type OutputFormat,
} from './output-names.ts';
export { attachmentPrefix, outputPrefix, checkPath, isDenied, refusalOfName } from './path-policy.ts';
export { isInside, resolveRoots } from './roots.ts';
export { isHeldBack, whyItRuns } from './runs/why-it-runs.ts';
export { isSecret } from './secret-names.ts';
export { findInside, kindOf, resolveInside, segmentsInside, type Entry, type Tree } from './tree.ts';
