import { useState, type ReactElement } from 'react';
import { CallDetails } from './call-details.tsx';
import { CallQuestion } from './call-question.tsx';
import { CallStrip } from './call-strip.tsx';
import { isAsked, type CallActions, type ScriptCall } from './call.ts';

/** The calls of a run. The call that it waits for comes first, and any other can be selected. */
export function RunCalls({
  calls,
  script,
  ...actions
}: { calls: readonly ScriptCall[]; script: string | undefined } & CallActions): ReactElement {
  const [chosen, choose] = useState<number>();
  const asked = calls.filter(isAsked);
  const looked = calls.find(({ id }) => id === chosen);
  const question = looked === undefined ? asked[0] : asked.find(({ id }) => id === chosen);
  return (
    <div className="ms-run-calls">
      <CallStrip calls={calls} chosen={looked?.id} onChoose={choose} />
      {looked !== undefined && question === undefined && <CallDetails call={looked} script={script} {...actions} />}
      {question !== undefined && (
        <CallQuestion
          call={question}
          script={script}
          before={calls.filter(({ id, state }) => id < question.id && state === 'answered').length}
          more={asked.length - 1}
          {...actions}
        />
      )}
    </div>
  );
}
