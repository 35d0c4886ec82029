// What a host guards files of its own with: the rules for paths and names that scripts are held to.
export { compileDenyGlob, fold as foldName, matchesAny, type DenyGlob } from './glob.ts';
export { FolderFiles, type FolderEntry, type FolderRules } from './folder-files.ts';
export { refusalOfName } from './path-policy.ts';
export { isSecret } from './secret-names.ts';
