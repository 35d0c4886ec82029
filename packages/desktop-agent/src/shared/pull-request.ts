// The command that makes a pull request: the page shows what the server runs.

export interface PullRequestCommand {
  /** `github.com/owner/name`. */
  repository: string;
  branch: string;
  base: string;
  title: string;
  draft: boolean;
}

/** The text goes to its input. With `=`, a title may begin as an option does. */
export function pullRequestCommand({ repository, branch, base, title, draft }: PullRequestCommand): string[] {
  const options = [`--repo=${repository}`, `--head=${branch}`, `--base=${base}`, `--title=${title}`, '--body-file=-'];
  return ['gh', 'pr', 'create', ...options, ...(draft ? ['--draft'] : [])];
}

/** As a person would type it. */
export function quoted(command: readonly string[]): string {
  return command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
}
