import { Icon, oneLine, Printed, type IconName } from '@mustard-sandbox/cards';
import { useRef, type ReactElement } from 'react';
import type { Message, Proposal } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';
import { Counts } from '../diff/file-facts.tsx';
import { Button } from '../parts/controls.tsx';
import { texts } from '../words/texts.ts';
import { Decision } from './decision.tsx';

const icons: Record<Proposal['state'], IconName> = {
  pending: 'question',
  applying: 'running',
  approved: 'check',
  rejected: 'hand',
  failed: 'warning',
};

/** The state of a proposal, also when its changes were taken back since. */
export function proposalTitle({ state, undone }: Proposal): string {
  if (undone === undefined) return texts.proposalStates[state];
  return undone === null ? texts.proposalGone : texts.proposalUndone;
}

/** A short view of a proposal. It is open when the person has to decide, and otherwise one line. */
export function ProposalLine({ message, proposal }: { message: Message; proposal: Proposal }): ReactElement {
  const ui = useUi();
  const { state, summary, files, problems, dependencies, error, declined = [] } = proposal;
  const running = files.filter(({ runs }) => runs !== undefined).length;
  const inexact = files.filter((file) => file.inexact !== undefined).length;
  const title = proposalTitle(proposal);
  const isOpen = state === 'pending' || state === 'failed';
  // Only a proposal that is applied now is animated, and not each one of a chat that is opened.
  const wasOpen = useRef(isOpen || state === 'applying').current;
  return (
    <section className="ma-proposal" data-state={state} data-was-open={wasOpen || undefined} aria-label={title}>
      <div className="ma-proposal-head">
        <Icon name={proposal.undone === undefined ? icons[state] : 'undo'} />
        <span className="ma-strong">{title}</span>
        <span className="ma-quiet ma-cut" dir="auto" title={oneLine(summary)}>
          {oneLine(summary)}
        </span>
        <span className="ma-quiet ma-number">
          {texts.files(files.length)} <Counts files={files} />
        </span>
      </div>
      {error !== undefined && (
        <p className="ma-error ma-wrap" role="alert" dir="auto">
          <Printed text={error} />
        </p>
      )}
      {isOpen && dependencies.length > 0 && <p className="ma-wrap">{texts.adds(oneLine(dependencies.join(', ')))}</p>}
      {isOpen && running > 0 && (
        <p className="ma-warning ma-with-icon">
          <Icon name="warning" />
          {texts.runs(running)}
        </p>
      )}
      {isOpen && problems !== null && problems.length > 0 && (
        <p className="ma-warning ma-with-icon">
          <Icon name="warning" />
          {texts.problems(problems.length)}
        </p>
      )}
      {isOpen && inexact > 0 && (
        <p className="ma-warning ma-with-icon">
          <Icon name="warning" />
          {texts.inexactFiles(inexact)}
        </p>
      )}
      {declined.length > 0 && (
        <p className="ma-quiet ma-wrap" dir="auto">
          <Printed text={texts.declined(declined)} />
        </p>
      )}
      {message.commit !== null && <p className="ma-quiet">{texts.committed(message.commit.slice(0, 7))}</p>}
      <div className="ma-actions">
        {isOpen && <Decision message={message} proposal={proposal} />}
        <Button className={isOpen ? '' : 'ma-flat'} onClick={() => ui.review(message.id)}>
          {texts.review}
        </Button>
      </div>
    </section>
  );
}
