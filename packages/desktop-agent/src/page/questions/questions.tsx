import { SizePolicyDialog } from '@mustard-sandbox/cards';
import { useState, type ComponentProps, type ReactElement } from 'react';
import type { Answer, Question } from '../../shared/contract/index.ts';
import { useAgent } from '../state/use-agent.ts';
import { CommandQuestion } from './command-question.tsx';
import { DevScriptQuestion } from './dev-script-question.tsx';
import { askerOf } from './asker.ts';
import { RequestQuestion } from './request-question.tsx';
import { WriteQuestion } from './write-question.tsx';

/** All questions except those about scripts, which have the dialog of the cards. */
export function Questions({ question }: { question: Exclude<Question, { kind: 'script' }> }): ReactElement | null {
  const agent = useAgent();
  const [answered, setAnswered] = useState<string>();
  // An answered question disappears at once. The server closes it a moment later.
  if (answered === question.id) return null;
  const answer = async (given: Answer): Promise<void> => {
    setAnswered(question.id);
    const isDone = await agent.attempt(() => agent.call('answer-question', { id: question.id, answer: given }));
    // The answer did not arrive, so the question is shown again.
    if (!isDone) setAnswered(undefined);
  };
  const asker = askerOf(question);
  const onAnswer = (given: Answer): void => void answer(given);
  switch (question.kind) {
    case 'size': {
      const summary = question.summary as ComponentProps<typeof SizePolicyDialog>['summary'];
      return <SizePolicyDialog key={question.id} summary={summary} asker={asker} onAnswer={onAnswer} />;
    }
    case 'request':
      return <RequestQuestion key={question.id} question={question} asker={asker} onAnswer={onAnswer} />;
    case 'command':
      return (
        <CommandQuestion
          key={question.id}
          command={question.command}
          domains={question.domains ?? []}
          asker={asker}
          onAnswer={onAnswer}
        />
      );
    case 'dev-script': {
      const { id, command, folder } = question;
      return <DevScriptQuestion key={id} command={command} folder={folder} asker={asker} onAnswer={onAnswer} />;
    }
    case 'write':
      return (
        <WriteQuestion
          key={question.id}
          title={question.title}
          files={question.files}
          into={question.into}
          asker={asker}
          onAnswer={onAnswer}
        />
      );
  }
}
