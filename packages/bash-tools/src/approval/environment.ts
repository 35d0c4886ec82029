import { SandboxError } from '@mustard-sandbox/client';
import { FolderFiles } from '@mustard-sandbox/paths';

const maxConfigBytes = 256 * 1024;

/**
 * Settings that name no program, by section and key. Any other setting may name one, also in a later version of git.
 */
const plainSettings: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)$/,
  /^core\.(?:safecrlf|protecthfs|protectntfs|longpaths|compression|preloadindex|untrackedcache|quotepath|abbrev)$/,
  /^core\.(?:sparsecheckout|sparsecheckoutcone|commitgraph)$/,
  /^remote\.(?:url|pushurl|fetch|push|prune|tagopt|promisor|partialclonefilter)$/,
  /^branch\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base|autosetuprebase)$/,
  /^(?:user|author|committer)\.(?:name|email|useconfigonly)$/,
  /^(?:color|advice|status|column|feature|index)\.[a-z]+$/,
  /^(?:pull|push|fetch)\.(?:rebase|ff|default|followtags|autosetupremote|prune|prunetags)$/,
  /^rebase\.(?:autostash|autosquash|updaterefs)$/,
  /^merge\.(?:conflictstyle|ff|renames)$/,
  /^diff\.(?:algorithm|renames|colormoved|mnemonicprefix|noprefix)$/,
  /^log\.(?:date|decorate|abbrevcommit|follow)$/,
  /^init\.defaultbranch$/,
  /^gc\.auto$/,
  /^extensions\.(?:objectformat|refstorage|partialclone)$/,
  /^lfs\.repositoryformatversion$/,
  /^safe\.directory$/,
];

/**
 * Why `git` in this folder may run a program other than itself, so that a rule for the words of a command does not show
 * what would run; `undefined` when it runs none. It checks the configuration of the repository and of the home, and the
 * hooks. A setting that is not known to be harmless counts as a program.
 *
 * @param folder of the workspace, absolute and free of links
 * @param home of its commands
 */
export function whyGitRuns(folder: string, home: string): string | undefined {
  const files = new FolderFiles(folder);
  try {
    const global = whyConfigRuns(new FolderFiles(home), ['.gitconfig', '.config/git/config']);
    if (global !== undefined) return global;
    if (!files.isFolder('.git', 'bash')) {
      const isElsewhere = files.look('.git', 'bash') !== undefined || files.look('HEAD', 'bash') !== undefined;
      return isElsewhere ? 'the repository of this folder is not in a folder .git' : undefined;
    }
    if (files.look('.gitmodules', 'bash') !== undefined) return leads('.gitmodules');
    return whyRepository(files, '.git');
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return 'the configuration of git in this folder cannot be read';
  }
}

/**
 * Like `whyGitRuns`, but for one repository, without the home and other repositories.
 *
 * @param folder absolute and free of links
 * @param at the folder of the repository in it, such as `.git` or one of a submodule below it
 */
export function whyRepositoryRuns(folder: string, at: string): string | undefined {
  try {
    return whyRepository(new FolderFiles(folder), at);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return `the configuration of git in ${at} cannot be read`;
  }
}

function whyRepository(files: FolderFiles, at: string): string | undefined {
  const other = ['commondir', 'config.worktree'].map((name) => `${at}/${name}`);
  const leading = other.find((path) => files.look(path, 'bash') !== undefined);
  if (leading !== undefined) return leads(leading);
  return whyConfigRuns(files, [`${at}/config`]) ?? hookOf(files, `${at}/hooks`);
}

function leads(path: string): string {
  return `${path} leads git to another configuration`;
}

function whyConfigRuns(files: FolderFiles, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const text = configOf(files, path);
    const found = text === undefined ? undefined : settingThatRuns(text);
    if (found !== undefined) return `git may run a program that ${path} names: ${found}`;
  }
  return undefined;
}

function hookOf(files: FolderFiles, hooks: string): string | undefined {
  if (!files.isFolder(hooks, 'bash')) return undefined;
  for (const { name } of files.list(hooks, 'bash')) {
    if (!name.endsWith('.sample')) return `git may run the hook ${hooks}/${name}`;
  }
  return undefined;
}

/** The first setting of a configuration that may name a program, or the first line that is not understood. */
function settingThatRuns(text: string): string | undefined {
  let section = '';
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '' || /^[#;]/.test(line)) continue;
    const header = /^\[([A-Za-z0-9-]+)(?: "[^"\\]*")?\]$/.exec(line);
    if (header !== null) {
      section = header[1]?.toLowerCase() ?? '';
      continue;
    }
    const key = /^([A-Za-z][A-Za-z0-9-]*)(?:\s*=[^\\]*)?$/.exec(line)?.[1]?.toLowerCase();
    const setting = `${section}.${key}`;
    if (key === undefined || !plainSettings.some((pattern) => pattern.test(setting))) {
      return key === undefined ? line.slice(0, 80) : setting;
    }
  }
  return undefined;
}

/**
 * The text of the file, or `undefined` if there is none. A file that is too long is not read, and counts as one that
 * names a program.
 */
function configOf(files: FolderFiles, path: string): string | undefined {
  if (files.look(path, 'bash') === undefined) return undefined;
  const { bytes, size } = files.read(path, maxConfigBytes, 'bash');
  return size > bytes.length ? 'it is too long' : bytes.toString('utf8');
}
