/** Files and folders that take effect without being called, grouped by what acts on them. */
export interface RunningNames {
  /** A clause that completes the sentence "You are asked because …". */
  readonly why: string;
  /** Patterns for whole names, in lower case. A folder stands for everything in it. */
  readonly names: readonly string[];
  /** Ordinary programs write these files, as `npm install` does. */
  readonly byPrograms?: true;
}

/**
 * Files that run by themselves, or steer an AI model, on a developer's machine or a build server. Files that run only
 * when a person runs the app, such as its sources and tests, are not on the list.
 */
export const runningNames: readonly RunningNames[] = [
  {
    why: 'git takes from it which programs to run',
    names: ['\\.(?:git|hg|svn|bzr|jj)', '_darcs', '\\.git(?:modules|attributes|config)', '\\.hgrc'],
  },
  {
    why: 'a hook runs by itself when git commits, checks out or pushes',
    names: [
      '\\.husky',
      '\\.?git-?hooks',
      '\\.huskyrc.*',
      '\\.?lefthook(?:-local)?(?:\\..*)?',
      '\\.pre-commit-(?:config|hooks)\\.ya?ml',
      '\\.lintstagedrc.*|lint-staged\\..*',
      '\\.?simple-git-hooks\\..*',
      '\\.overcommit\\.yml|captainhook\\.json|\\.commitlintrc.*|\\.czrc|\\.cz\\..*',
      '(?:pre|post)-(?:commit|merge-commit|applypatch|rebase|checkout|merge|push|receive|update|auto-gc|rewrite|index-change)',
      '(?:applypatch|commit|prepare-commit)-msg|reference-transaction|fsmonitor-watchman|push-to-checkout|proc-receive',
    ],
  },
  {
    why: 'an editor runs what it names when the project is opened',
    names: [
      '\\.(?:vscode.*|idea|run|fleet|vs|zed|nova|theia|settings|devcontainer|idx|codesandbox|helix)',
      '\\.?devcontainer\\.json|.*\\.code-workspace|.*\\.sublime-(?:project|workspace|settings|build)',
      '[._]?g?n?vimrc|\\.?exrc|_exrc|\\.nvim\\.lua|\\.(?:local\\.|l)vimrc',
      '\\.dir-locals(?:-2)?\\.el|\\.emacs.*|\\.projectile',
      '\\.gitpod.*|\\.replit|replit\\.nix|\\.stackblitzrc|\\.project|\\.classpath|\\.nrepl\\.edn',
      '(?:j|t)sconfig.*\\.json', // The editor's language server loads the plugins that this file names.
      '\\.(?:gdb|lldb)init|\\.gdbearlyinit|.*-gdb\\.py',
    ],
  },
  {
    why: 'it tells an AI model what to do',
    names: [
      '(?:ai_rules|agents?|agents\\.override|claude|claude\\.local|gemini|qwen|warp|skill|conventions)\\.md',
      '\\.?(?:copilot-instructions|cursorrules|windsurfrules|clinerules|roorules|continuerules|goosehints).*|\\.rules',
      '\\.(?:agents?|ai|claude|codex|gemini|cursor|windsurf|cline|roo|roomodes|kiro|amazonq|aider.*|continue|goose)',
      '\\.(?:junie|trae|augment.*|openhands|opencode|qwen|factory|crush|skills|prompts|dyad|mcp)',
      '\\.?(?:mcp|crush|opencode|mcp[-_]config)\\.jsonc?',
      '.*\\.(?:instructions|prompt|chatmode)\\.md',
    ],
  },
  {
    why: 'a package manager takes from it what it installs and runs',
    names: ['\\.npmrc|\\.yarnrc.*|\\.?pnpmfile\\..*|\\.?bunfig.*'],
  },
  {
    why: 'a package manager takes from it what it installs and runs',
    byPrograms: true,
    names: [
      'node_modules|\\.yarn|\\.pnp\\..*|pnpm-workspace\\.ya?ml',
      'package\\.(?:json5|yaml)|package-lock\\.json|npm-shrinkwrap\\.json|pnpm-lock\\.yaml|yarn\\.lock|bun\\.lockb?',
      'lerna\\.json|nx\\.json|turbo\\.jsonc?|rush\\.json|deno\\.(?:jsonc?|lock)|jsr\\.json|\\.bowerrc|bower\\.json',
      'setup\\.(?:py|cfg)|pyproject\\.toml|.*requirements.*\\.(?:txt|in)|constraints.*\\.txt|pipfile.*|(?:poetry|uv|pdm)\\.lock',
      'pip\\.(?:conf|ini)|\\.pypirc|environment\\.ya?ml|\\.condarc',
      'cargo\\.(?:toml|lock)|\\.cargo|rust-toolchain.*|go\\.(?:mod|sum|work)|gemfile.*|.*\\.gemspec|\\.bundle|\\.gemrc',
      'composer\\.(?:json|lock)|nuget\\.config|packages\\.lock\\.json|podfile.*|package\\.swift|mix\\.(?:exs|lock)|rebar\\.config',
      'flake\\.(?:nix|lock)|(?:shell|default)\\.nix|devbox\\.json|brewfile',
    ],
  },
  {
    why: 'a shell or another program runs it when it starts',
    names: [
      '\\.(?:bash|zsh|ksh|csh|tcsh|fish|sh).*|\\.(?:profile|login|logout|zprofile|zlogin|zlogout|xinitrc|xprofile|xsession.*)',
      '\\.(?:inputrc|screenrc|tmux\\.conf|pam_environment|xresources|forward|procmailrc|mailcap|lessfilter|nanorc)',
      '\\.(?:config|local|ssh|gnupg|aws|kube|docker)|launch(?:agents|daemons)|autostart|crontab|\\.crontab',
      '\\.env(?!\\.(?:example|sample|template)$).*|\\.?mise(?:\\..*)?|\\.tool-versions|\\.autoenv.*|\\.corepack\\.env|node\\.config\\.json|\\.jvmopts',
      '\\.(?:rprofile|renviron|irbrc|pryrc|pythonrc.*|pdbrc.*|psqlrc|sqliterc|my\\.cnf|wgetrc|curlrc|ackrc|ripgreprc)',
      'sitecustomize\\.py|usercustomize\\.py|conftest\\.py|.*\\.pth',
      '.*profile\\.ps1|autorun\\.inf|desktop\\.ini|.*\\.(?:desktop|lnk|service|timer)',
      '\\.htaccess|\\.user\\.ini|web\\.config',
    ],
  },
  {
    why: 'a build tool runs it, and some editors do so when the project is opened',
    byPrograms: true,
    names: [
      '(?:gnu)?makefile(?:\\.(?:am|in))?|.*\\.mk|cmakelists\\.txt|.*\\.cmake|cmake(?:user)?presets\\.json|meson\\.build|configure(?:\\.ac)?',
      '\\.?justfile|taskfile\\..*|rakefile|.*\\.rake|build\\.rs|magefile\\.go|.*\\.(?:bazel|bzl)|\\.bazelrc',
      '.*\\.gradle(?:\\.kts)?|gradle|gradle\\.properties|gradlew.*|\\.gradle|pom\\.xml|\\.mvn|mvnw.*|build\\.(?:sbt|xml)|\\.sbtopts|deps\\.edn|project\\.clj',
      '.*\\.(?:csproj|fsproj|vbproj|vcxproj|props|targets|sln)|global\\.json',
      '(?:docker|container)file(?:\\..*)?|.*\\.dockerfile|(?:docker-)?compose.*\\.ya?ml|vagrantfile|procfile.*|tiltfile|earthfile',
      '(?:vercel|firebase|netlify|now|dagger|nodemon)\\.json|(?:netlify|fly|wrangler|railway)\\..*|(?:serverless|render|skaffold)\\.ya?ml',
      'tox\\.ini|noxfile\\.py|pytest\\.ini',
    ],
  },
  {
    why: 'editors, test runners and running dev servers load it as a program by themselves',
    byPrograms: true,
    names: [
      '.*\\.(?:config|conf|setup|workspace)\\.[cm]?[jt]sx?',
      '\\.(?:eslint|prettier|stylelint|babel|postcss|swc|mocha|nyc|nodemon|release|np|xo|tap|c8|graphql|browserslist)rc.*',
      '(?:gulp|grunt|snow|jake)(?:file|pack).*\\.[cm]?[jt]s|webpack\\..*\\.[cm]?[jt]s|\\.pnp\\..*|babel\\.config\\..*',
    ],
  },
  {
    why: 'a build server runs it, with the secrets of the project',
    names: [
      '\\.(?:github|gitlab|gitea|forgejo|circleci|buildkite|semaphore|teamcity|tekton|builds|ci|woodpecker|azure-pipelines)',
      '\\.(?:gitlab-ci|travis|drone|appveyor|cirrus|woodpecker)\\..*|appveyor\\.yml|jenkinsfile.*',
      '(?:azure|bitbucket)-pipelines.*\\.ya?ml|(?:cloudbuild|buildspec|appspec|amplify|action|dependabot)\\.ya?ml',
      '\\.?renovate(?:rc)?(?:\\..*)?',
    ],
  },
];
