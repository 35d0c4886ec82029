import { Printed } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { ProblemReport, Unjailed } from '../../shared/contract/index.ts';
import { Button, Empty, Failure, Skeleton } from '../parts/controls.tsx';
import type { Problem } from '../state/agent-state.ts';
import { problemOf } from '../state/problem.ts';
import { useAgent } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { ProblemList } from './problem-list.tsx';

/** Checks the app as it is. A check can take seconds, so the person starts it. */
export function ProblemsTab({ appId }: { appId: string }): ReactElement {
  const agent = useAgent();
  const [report, setReport] = useState<ProblemReport>();
  const [failure, setFailure] = useState<Problem>();
  const [isChecking, setChecking] = useState(false);
  const check = async (allowUnjailed?: Unjailed): Promise<void> => {
    setChecking(true);
    setFailure(undefined);
    try {
      setReport(await agent.call('check-problems', { appId, ...(allowUnjailed !== undefined && { allowUnjailed }) }));
    } catch (error) {
      setFailure(problemOf(error));
    } finally {
      setChecking(false);
    }
  };
  const whyNot = isChecking ? texts.checking : undefined;
  const again = (
    <Button onClick={() => void check()} whyNot={whyNot}>
      {report === undefined ? texts.check : texts.checkAgain}
    </Button>
  );
  if (failure !== undefined) {
    return <Failure title={failure.message} retry={texts.checkAgain} onRetry={() => void check()} />;
  }
  if (report === undefined) {
    return isChecking ? (
      <Skeleton lines={4} label={texts.checking} />
    ) : (
      <Empty title={texts.checkFirst} actions={again} />
    );
  }
  const { problems, more, unchecked } = report;
  if (unchecked !== null) {
    return (
      <div className="ma-notice" data-kind="quiet">
        <p className="ma-wrap">
          <Printed text={unchecked.message} />
        </p>
        <div className="ma-actions">
          {unchecked.reason === 'no-jail' && (
            <Button onClick={() => void check('reading')} whyNot={whyNot}>
              {texts.checkUnjailed}
            </Button>
          )}
          {unchecked.reason === 'no-jail-native' && (
            <Button kind="danger" onClick={() => void check('everything')} whyNot={whyNot}>
              {texts.checkWithAllRights}
            </Button>
          )}
          {again}
        </div>
      </div>
    );
  }
  return (
    <div className="ma-stack" aria-busy={isChecking}>
      <div className="ma-tab-head">
        <p className="ma-strong" role="status">
          {problems.length === 0 ? texts.problemsNone : texts.problems(problems.length + more)}
        </p>
        {again}
      </div>
      <ProblemList problems={problems} />
      {more > 0 && <p className="ma-quiet">{texts.moreProblems(more)}</p>}
    </div>
  );
}
