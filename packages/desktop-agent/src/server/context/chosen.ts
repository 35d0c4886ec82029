import picomatch from 'picomatch';
import type { ContextGlobs } from '../../shared/contract/index.ts';

/** The extensions of programs, pages and their settings. Other files must be named by `include`. */
const extensions = new Set(
  [
    ...['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'json', 'jsonc', 'json5', 'html', 'htm', 'css', 'scss'],
    ...['sass', 'less', 'vue', 'svelte', 'astro', 'md', 'mdx', 'txt', 'yaml', 'yml', 'toml', 'ini', 'cfg', 'conf'],
    ...['py', 'pyi', 'rb', 'php', 'go', 'rs', 'java', 'kt', 'kts', 'swift', 'c', 'h', 'cc', 'cpp', 'hpp', 'cs', 'fs'],
    ...['scala', 'clj', 'ex', 'exs', 'erl', 'hs', 'lua', 'r', 'dart', 'sh', 'bash', 'zsh', 'fish', 'ps1', 'bat', 'sql'],
    ...['graphql', 'gql', 'proto', 'prisma', 'xml', 'svg', 'tf', 'hbs', 'ejs', 'pug', 'liquid', 'rst', 'adoc', 'zig'],
  ].map((extension) => `.${extension}`),
);

const names = new Set(['Dockerfile', 'Makefile', 'Procfile', 'Gemfile', 'Rakefile', 'CMakeLists.txt', 'LICENSE']);

/** Files that programs write. They are long and useless to a model. */
const generated =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|bun\.lock|[^/]+\.min\.(?:js|css|mjs))$/;

/**
 * Whether the name of a file is wanted. Names that match `exclude` are not. Names that match `include` are, with any
 * extension. Without `strict`, all source text is wanted too.
 */
export function compileGlobs({ include, exclude, strict }: ContextGlobs): (path: string) => boolean {
  const isExcluded = anyOf(exclude);
  const isNamed = anyOf(include);
  return (path) => !isExcluded(path) && (isNamed(path) || (!strict && isSource(path)));
}

function isSource(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (names.has(name)) return true;
  const extension = name.slice(Math.max(0, name.lastIndexOf('.'))).toLowerCase();
  return extensions.has(extension) && !generated.test(path);
}

/** Matches any of the globs. A glob that names a folder includes all that is in it. */
function anyOf(globs: readonly string[]): (path: string) => boolean {
  const patterns = globs
    .map((glob) =>
      glob
        .trim()
        .replace(/^\.?\/+/, '')
        .replace(/\/+$/, ''),
    )
    .filter((glob) => glob !== '')
    .flatMap((glob) => [glob, `${glob}/**`]);
  return patterns.length === 0 ? () => false : picomatch(patterns, { dot: true, nonegate: true });
}
