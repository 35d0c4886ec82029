// The rules for paths and names that scripts are held to, for a host that guards files of its own with them.
export {
  compileDenyGlob,
  FolderFiles,
  isSecret,
  matchesAny,
  refusalOfName,
  type DenyGlob,
  type FolderEntry,
  type FolderRules,
} from '@mustard-sandbox/daemon/files';
export { whyItRuns } from './runs/why-it-runs.ts';
