import { useRef, type KeyboardEvent, type ReactElement } from 'react';
import type { FileDiff } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';
import { isEditable, type Choosing } from './choosing.ts';
import { Change, Counts, nameOf } from './file-facts.tsx';
import { FileSection } from './file-section.tsx';

/** The most files that are open at first. If there are more, all are closed. */
const openAtFirst = 20;

/**
 * A diff: the list of the files, then each file with its lines. j and k go from file to file.
 *
 * @param choosing set when the person may leave out parts; x leaves out the focused file, and e edits it
 */
export function DiffView({ files, choosing }: { files: readonly FileDiff[]; choosing?: Choosing }): ReactElement {
  const sections = useRef<HTMLDivElement>(null);
  const heads = (): HTMLElement[] => [...(sections.current?.querySelectorAll<HTMLElement>('summary') ?? [])];
  const go = (index: number): void => {
    const head = heads()[index];
    head?.focus();
    head?.scrollIntoView({ block: 'start' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const at = heads().findIndex((head) => head.parentElement?.contains(document.activeElement));
    const file = files[at];
    if (event.key === 'j') go(Math.min(at + 1, files.length - 1));
    else if (event.key === 'k') go(Math.max(at - 1, 0));
    else if (event.key === 'o') heads()[at]?.click();
    else if (event.key === 'x' && choosing !== undefined && file !== undefined) choosing.toggleFile(file);
    else if (event.key === 'e' && file !== undefined && isEditable(file)) choosing?.edit?.(file);
    else return;
    event.preventDefault();
  };
  return (
    <div className="ma-diff" onKeyDown={onKeyDown}>
      <ul className="ma-list ma-diff-files" aria-label={texts.diffFiles}>
        {files.map((file, index) => (
          <li key={file.path} className="ma-diff-row">
            {choosing !== undefined && <FileChoice file={file} choosing={choosing} />}
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
      {(files.length > 1 || choosing !== undefined) && (
        <p className="ma-quiet ma-diff-keys">{choosing === undefined ? texts.diffKeys : texts.chooseKeys}</p>
      )}
      <div ref={sections}>
        {files.map((file) => (
          <FileSection key={file.path} file={file} choosing={choosing} isOpen={files.length <= openAtFirst} />
        ))}
      </div>
    </div>
  );
}

/** Letters in a text box are not keys of the diff. For the editor, the target of the event is its shadow root. */
function isTyping(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.matches('textarea, select, .ma-code-editor');
}

/** The checkbox of a file. It is indeterminate when only some of the hunks are chosen. */
function FileChoice({ file, choosing }: { file: FileDiff; choosing: Choosing }): ReactElement {
  const state = choosing.stateOf(file);
  return (
    <input
      type="checkbox"
      aria-label={texts.chooseFile(nameOf(file))}
      checked={state === 'all'}
      ref={(box) => {
        if (box !== null) box.indeterminate = state === 'some';
      }}
      onChange={() => choosing.toggleFile(file)}
    />
  );
}
