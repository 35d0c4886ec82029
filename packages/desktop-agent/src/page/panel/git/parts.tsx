import { Icon, oneLine } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Commits } from '../../../shared/contract/index.ts';
import { Failure } from '../../parts/controls.tsx';
import { texts } from '../../words/texts.ts';
import type { GitTask } from './use-git-task.ts';

/** Commits with their subjects, the newest first. */
export function ListedCommits({ title, commits }: { title: string; commits: Commits }): ReactElement {
  const { count, shown } = commits;
  return (
    <section aria-label={title}>
      <p className="ma-strong">{title}</p>
      <ol className="ma-commits" aria-label={title} tabIndex={0}>
        {shown.map(({ commit, subject, author }) => (
          <li key={commit}>
            <code>{commit.slice(0, 7)}</code>
            <span className="ma-wrap" dir="auto">
              {oneLine(subject)} <span className="ma-quiet">{texts.versionBy(oneLine(author))}</span>
            </span>
          </li>
        ))}
        {count > shown.length && <li className="ma-quiet">{texts.syncMore(count - shown.length)}</li>}
      </ol>
    </section>
  );
}

/** The first sentence says what failed, the others why and what to do. */
export function Failed({ message, onRetry }: { message: string; onRetry?: () => void }): ReactElement {
  const end = message.indexOf('. ') + 1;
  const again = onRetry && { onRetry };
  return end === 0 ? (
    <Failure title={message} retry={texts.syncAgain} {...again} />
  ) : (
    <Failure title={message.slice(0, end)} retry={texts.syncAgain} {...again}>
      {message.slice(end + 1)}
    </Failure>
  );
}

/** Files that do not fit. Nothing was changed. */
export function Conflicts({ files }: { files: readonly string[] }): ReactElement {
  return (
    <div className="ma-notice" data-kind="error" role="alert">
      <p className="ma-strong ma-with-icon">
        <Icon name="warning" />
        {texts.syncConflicts}
      </p>
      <p>{texts.syncConflictsHint}</p>
      <ul className="ma-commits" tabIndex={0} aria-label={texts.syncConflicts}>
        {files.map((path) => (
          <li key={path} className="ma-wrap">
            <code dir="ltr">{oneLine(path)}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What runs, and how far it is. Its place is there before. */
export function Doing({ task: { doing, progress } }: { task: GitTask }): ReactElement {
  return (
    <p role="status" className="ma-quiet ma-wrap ma-git-doing">
      {doing} {doing !== undefined && progress && texts.syncProgress(progress.phase, progress.percent)}
    </p>
  );
}
