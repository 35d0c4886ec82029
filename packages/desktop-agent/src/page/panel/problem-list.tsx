import { oneLine, Printed } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Problem } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';

/** The most problems that are shown. */
const most = 500;

/** The problems. Each is a button that opens the line in the current file. */
export function ProblemList({ problems }: { problems: readonly Problem[] }): ReactElement {
  const ui = useUi();
  return (
    <ul className="ma-list ma-problem-list">
      {problems.slice(0, most).map(({ path, line, column, code, message }, index) => (
        <li key={index}>
          <button type="button" className="ma-list-row ma-problem" onClick={() => ui.openFile(path, line)}>
            <span className="ma-problem-place">
              <span className="ma-path" dir="ltr">
                <bdi>{oneLine(path)}</bdi>
              </span>
              <span className="ma-quiet ma-number">
                {line}:{column} {oneLine(code)}
              </span>
            </span>
            <span className="ma-wrap" dir="auto">
              <Printed text={message} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
