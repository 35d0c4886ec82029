import { useRef, type KeyboardEvent, type ReactElement } from 'react';
import type { FileDiff } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';
import { Change, Counts, nameOf } from './file-facts.tsx';
import { FileSection } from './file-section.tsx';

/** More files than that are closed at first. */
const openAtFirst = 20;

/** A diff by file: the list of the files, then each with its lines. j and k go from file to file. */
export function DiffView({ files }: { files: readonly FileDiff[] }): ReactElement {
  const sections = useRef<HTMLDivElement>(null);
  const heads = (): HTMLElement[] => [...(sections.current?.querySelectorAll<HTMLElement>('summary') ?? [])];
  const go = (index: number): void => {
    const head = heads()[index];
    head?.focus();
    head?.scrollIntoView({ block: 'start' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = heads().findIndex((head) => head.parentElement?.contains(document.activeElement));
    if (event.key === 'j') go(Math.min(at + 1, files.length - 1));
    else if (event.key === 'k') go(Math.max(at - 1, 0));
    else if (event.key === 'o') heads()[at]?.click();
    else return;
    event.preventDefault();
  };
  return (
    <div className="ma-diff" onKeyDown={onKeyDown}>
      <ul className="ma-list ma-diff-files" aria-label={texts.diffFiles}>
        {files.map((file, index) => (
          <li key={file.path}>
            <button type="button" className="ma-list-row" onClick={() => go(index)}>
              <Change change={file.change} />
              <span className="ma-path" dir="ltr" title={nameOf(file)}>
                <bdi>{nameOf(file)}</bdi>
              </span>
              <Counts files={[file]} />
            </button>
          </li>
        ))}
      </ul>
      {files.length > 1 && <p className="ma-quiet ma-diff-keys">{texts.diffKeys}</p>}
      <div ref={sections}>
        {files.map((file) => (
          <FileSection key={file.path} file={file} isOpen={files.length <= openAtFirst} />
        ))}
      </div>
    </div>
  );
}
