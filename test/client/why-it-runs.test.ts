import { readdirSync } from 'node:fs';
import { whyItRuns } from '@mustard-sandbox/paths';
import { describe, expect, it } from 'vitest';

describe('what runs by itself, or steers a model', () => {
  it.each([
    // git and its hooks
    ...['.git', '.git/config', '.git/hooks/pre-commit', 'sub/.git/config', '.GIT/config', '.g\u200cit/config'],
    ...['.git./config', 'GIT~1/config', '.gitmodules', '.gitattributes', '.gitconfig', '.hg/hgrc', 'bare/HEAD'],
    ...['.husky/pre-commit', '.githooks/post-merge', 'scripts/pre-push', 'lefthook.yml', '.pre-commit-config.yaml'],
    ...['.lintstagedrc.json', 'lint-staged.config.js', '.simple-git-hooks.cjs'],
    // editors
    ...['.vscode/tasks.json', '.vscode/settings.json', '.idea/workspace.xml', '.devcontainer/devcontainer.json'],
    ...[
      '.devcontainer.json',
      'app.code-workspace',
      '.vimrc',
      '.exrc',
      '.nvim.lua',
      '.dir-locals.el',
      '.zed/tasks.json',
    ],
    ...['tsconfig.json', 'packages/a/tsconfig.build.json', '.gdbinit', '.fleet/run.json', 'a.sublime-project'],
    // models
    ...['AI_RULES.md', 'AGENTS.md', 'docs/AGENTS.md', 'CLAUDE.md', '.claude/settings.json', '.mcp.json', 'mcp.json'],
    ...['.cursor/mcp.json', '.cursorrules', '.windsurfrules', '.github/copilot-instructions.md', 'GEMINI.md'],
    ...['.clinerules', '.roo/rules/a.md', '.aider.conf.yml', 'opencode.json', 'a.instructions.md', '.agents/x'],
    // packages
    ...['package.json', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', '.npmrc', '.yarnrc.yml', '.pnpmfile.cjs'],
    ...[
      'pnpm-workspace.yaml',
      '.yarn/releases/yarn.cjs',
      'node_modules/left-pad/index.js',
      'pyproject.toml',
      'setup.py',
    ],
    ...['requirements.txt', 'requirements-dev.txt', 'Cargo.toml', '.cargo/config.toml', 'go.mod', 'Gemfile'],
    // shells and others that start
    ...['.bashrc', '.bash_profile', '.zshenv', '.profile', '.envrc', '.env', '.config/fish/config.fish', '.ssh/rc'],
    ...['.tool-versions', 'mise.toml', 'sitecustomize.py', 'conftest.py', 'a.pth', '.Rprofile', '.htaccess'],
    // builds and build servers
    ...['Makefile', 'CMakeLists.txt', 'build.rs', 'build.gradle.kts', 'Dockerfile', 'docker-compose.yml', 'justfile'],
    ...['.github/workflows/ci.yml', '.gitlab-ci.yml', '.circleci/config.yml', 'Jenkinsfile', 'azure-pipelines.yml'],
    ...['renovate.json', 'vercel.json', 'netlify.toml'],
    // programs that are configurations
    ...['vite.config.ts', 'eslint.config.js', '.eslintrc.json', '.prettierrc', '.babelrc', 'next.config.mjs'],
    ...['vitest.setup.ts', 'gulpfile.js', 'webpack.prod.js'],
  ])('%s is one', (path) => expect(whyItRuns(path, 'x', '')).toMatch(/\w/));

  it.each([
    ...['src/app.ts', 'src/hooks/use-thing.ts', 'index.html', 'README.md', 'docs/guide.md', 'src/build/index.ts'],
    ...['src/git/rules.ts', 'styles.css', '.gitignore', '.env.example', 'src/head/head.tsx', 'test/app.test.ts'],
    ...['config/values.json', 'src/package.ts', 'data/a.csv', 'src/agents/agent.ts', 'src/environment.ts', 'make.ts'],
    ...['src/postcommit.ts', 'public/manifest.json', 'src/commit-msg.ts', 'src/workspace/open.ts', 'rules.md'],
  ])('%s is none', (path) => expect(whyItRuns(path, 'x', '')).toBeUndefined());

  it('the sources of this repository are none', () => {
    const sources = readdirSync('packages', { recursive: true, encoding: 'utf8' })
      .map((path) => `packages/${path.replaceAll('\\', '/')}`)
      .filter((path) => path.includes('/src/') && !/(?:^|\/)(?:node_modules|dist)\//.test(path));
    expect(sources.length).toBeGreaterThan(300);
    expect(sources.filter((path) => whyItRuns(path, '') !== undefined && !path.endsWith('tsconfig.json'))).toEqual([]);
  });
});

describe('a package.json', () => {
  const before = JSON.stringify({
    name: 'a',
    version: '1.0.0',
    scripts: { test: 'vitest' },
    dependencies: { zod: '4' },
  });
  const changed = (change: object): string | undefined =>
    whyItRuns('package.json', JSON.stringify({ ...(JSON.parse(before) as object), ...change }, null, 2), before);

  it('may change what nobody runs', () => {
    expect(changed({})).toBeUndefined();
    expect(changed({ version: '1.0.1', description: 'b', keywords: ['c'] })).toBeUndefined();
    expect(whyItRuns('package.json', '{"name":"new"}')).toBeUndefined();
  });

  it.each([
    [{ scripts: { test: 'vitest', postinstall: 'node x' } }, 'scripts.postinstall'],
    [{ scripts: { test: 'evil' } }, 'scripts.test'],
    [{ dependencies: { zod: '4', 'left-pad': '1' } }, 'dependencies.left-pad'],
    [{ devDependencies: { a: '1' } }, 'devDependencies.a'],
    [{ overrides: { zod: 'npm:evil' } }, 'overrides.zod'],
    [{ workspaces: ['x'] }, 'workspaces'],
    [{ 'lint-staged': { '*': 'x' } }, 'lint-staged.*'],
    [{ main: 'x.js' }, 'main'],
    [{ a: 1, b: 2, c: 3, d: 4, e: 5 }, 'a, b, c and 2 more'],
  ])('names what changes: %j', (change, named) => expect(changed(change)).toContain(named));

  it('of which nobody knows what it held, or that is no JSON, counts with all of it', () => {
    expect(whyItRuns('package.json', before)).toContain('scripts.test');
    expect(whyItRuns('package.json')).toBeDefined();
    expect(whyItRuns('package.json', '{', before)).toBeDefined();
    expect(whyItRuns('package.json', '\ufeff{"name":"a"}', '{')).toBeUndefined();
    expect(whyItRuns('sub/PACKAGE.json', before)).toBeDefined();
  });
});
