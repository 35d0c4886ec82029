import { join } from 'node:path';
import { throwIfAborted } from '@mustard-sandbox/protocol';
import { inJail } from './in-jail.ts';
import type { JailKit } from './jail.ts';
import { isFolder, mountedGit, mountedPackages, statsOf } from './project-mounts.ts';
import { inside, type Folders } from './toolchain.ts';

/** What commands have of a project beside the files that were copied. */
export interface ProjectParts {
  /** Its installed packages. */
  packages: boolean;
  /** Its virtual environment of Python. */
  venv: boolean;
  /** Its history. */
  git: boolean;
}

export const noProject: ProjectParts = { packages: false, venv: false, git: false };

const preparingMs = 30_000;

/** The home belongs to the commands. A setting there could have git run one of theirs while we prepare. */
const noSettings = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

/**
 * Puts the packages, the virtual environment and the history of the project into the workspace. It runs in a jail, so
 * that links that a command left there lead nowhere, and it runs no program of the project. A part that cannot be had,
 * such as a history that is too large to look at in time, is left out.
 *
 * @throws {SandboxError} `cancelled`
 */
export async function prepareProject(
  kit: JailKit,
  folders: Folders,
  project: string,
  signal: AbortSignal | undefined,
): Promise<ProjectParts> {
  const git = join(project, '.git');
  const mounts = isFolder(git) ? ['--ro-bind', git, mountedGit] : [];
  const run = {
    kit,
    folders: { ...folders, project },
    mounts,
    env: { ...noSettings, VENV: join(project, '.venv') },
    signal,
  };
  const { stdout } = await inJail(preparing, run, preparingMs);
  throwIfAborted(signal, 'The workspace got no packages and no history: cancelled.');
  const parts = new Set(stdout.toString('utf8').split('\n'));
  return { packages: parts.has('packages'), venv: parts.has('venv'), git: parts.has('git') };
}

/** Where a change of the project shows, and which of the parts in the workspace a command may have replaced. */
const changing = [
  ...['node_modules', 'node_modules/.package-lock.json', 'node_modules/.modules.yaml', '.venv'],
  ...['.git', '.git/HEAD', '.git/logs/HEAD', '.git/index', '.git/packed-refs', '.git/refs/heads'],
];
const replaceable = ['node_modules', 'node_modules/.package-lock.json', '.venv', '.git', '.git/project-head'];

/** A text that changes when the project has to be prepared again, which takes a quarter of a second of processor time. */
export function stampOfProject({ files }: Folders, project: string): string {
  const there = changing.map((name) => statsOf(join(project, name))).map((stats) => [stats?.ino, stats?.mtimeMs]);
  const here = replaceable.map((name) => statsOf(join(files, name))).map((stats) => [stats?.ino, stats?.mode]);
  return JSON.stringify([project, there, here]);
}

/**
 * Packages are links, so that a command can replace one, and folders of caches are the workspace's own. Packages of the
 * project's own workspaces are links already, and lead to the copies of their folders. Where npm installed the packages
 * in the workspace itself, they stay.
 *
 * The history is a repository of its own over the project's objects, without the project's configuration and hooks:
 * those name commands, and a remote may have a password in its address. Commits of commands stay until the project has
 * a new one.
 */
const preparing = `
shopt -s nullglob dotglob
app=${inside.files}/${mountedPackages}
# The entries of a folder that are missing here: folder, where links lead, test for the kind of entry.
link() {
  local names=() path name
  for path in "$app/$1"/*; do
    name=\${path##*/}
    case $name in @*|.bin|.cache|.vite*) continue ;; esac
    [ "$3" "$path" ] && [ ! -L "$path" ] && [ ! -L "$1/$name" ] && [ ! -e "$1/$name" ] && names+=("$2/$name")
  done
  [ \${#names[@]} -eq 0 ] || ln -s -t "$1" "\${names[@]}"
}
packages() {
  [ -d "$app" ] && [ ! -L node_modules ] && mkdir -p node_modules || return
  cd node_modules && [ ! -e .package-lock.json ] || return
  find . -maxdepth 2 -xtype l -lname '*${mountedPackages}/*' -delete
  (cd "$app" && find . -mindepth 1 -maxdepth 2 -type l '(' -path './@*' -o -path './.bin/*' -o ! -path './*/*' ')' -print0) |
    (cd "$app" && xargs -0 -r cp -P -n --parents -t ${inside.files}/node_modules)
  local up=../${mountedPackages} scope
  link . $up -d
  for scope in .bin $(cd "$app" && printf '%s\\n' @*/); do
    scope=\${scope%/}
    [ -d "$app/$scope" ] && { [ -d "$scope" ] || mkdir "$scope"; } || continue
    [ $scope = .bin ] && link .bin "../$up/.bin" -f || link "$scope" "../$up/$scope" -d
  done
  echo packages
}
venv() {
  [ -d "$VENV" ] || return
  [ -e .venv ] || ln -s -T "$VENV" .venv || return
  [ "$(readlink .venv)" = "$VENV" ] && echo venv
}
history() {
  [ -d ${mountedGit}/objects ] && [ ! -L .git ] || return
  [ ! -e .git ] || [ -e .git/project-head ] || return
  local made=/tmp/.project-git
  rm -rf $made && mkdir -p $made/objects/info $made/info $made/refs || return
  cp -rP ${mountedGit}/{HEAD,packed-refs,refs,index,sharedindex.*,shallow} $made 2>/dev/null
  printf '[core]\\n\\trepositoryformatversion = 0\\n' > $made/config
  printf '%s\\n' /.mustard/ /node_modules /.venv > $made/info/exclude
  echo ${mountedGit}/objects > $made/objects/info/alternates
  git --git-dir=$made rev-parse -q --verify HEAD > $made/project-head 2>/dev/null || return
  if ! cmp -s $made/project-head .git/project-head; then
    export GIT_DIR=$made GIT_WORK_TREE=${inside.files}
    git update-index -q --refresh > /dev/null
    if [ -e .git/left-out ]; then cp .git/left-out $made; else git ls-files -z --deleted > $made/left-out; fi
    git ls-files -z --deleted | sort -z | comm -z -12 - <(sort -z $made/left-out) |
      git update-index -z --skip-worktree --stdin || return
    rm -rf .git && mv $made .git || return
  fi
  rm -rf $made
  echo git
}
for part in packages venv history; do (cd ${inside.files} && $part); done
exit 0`;
