import { oneLine, Printed } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Message, Proposal } from '../../shared/contract/index.ts';
import { useUiState } from '../app/ui.ts';
import { DiffView } from '../diff/diff-view.tsx';
import { Counts } from '../diff/file-facts.tsx';
import { Empty } from '../parts/controls.tsx';
import { Decision } from '../proposal/decision.tsx';
import { chosenOf, useChosen } from '../proposal/chosen.ts';
import { useChoosing } from '../proposal/use-choosing.tsx';
import { proposalTitle } from '../proposal/proposal-line.tsx';
import { useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { ProblemList } from './problem-list.tsx';

/** The reviewed proposal: the chosen one, or else the last one of the chat. */
export function ChangesTab(): ReactElement {
  const reviewed = useUiState((state) => state.reviewed);
  const message = useAgentState(({ open }) => {
    const messages = open?.messages ?? [];
    return messages.find(({ id }) => id === reviewed) ?? messages.findLast(({ proposal }) => proposal !== null);
  });
  if (message === undefined || message.proposal === null) {
    return <Empty title={texts.proposalEmpty}>{texts.proposalEmptyHint}</Empty>;
  }
  return <Review key={message.id} message={message} proposal={message.proposal} />;
}

function Review({ message, proposal }: { message: Message; proposal: Proposal }): ReactElement {
  const { state, summary, files, dependencies, commands, problems, unchecked, error, declined = [] } = proposal;
  const choosing = useChoosing(message, proposal);
  const offers = commands.map((command) => texts.commandNames[command] ?? oneLine(command));
  return (
    <div className="ma-review">
      <header className="ma-review-head">
        <p className="ma-strong">{proposalTitle(proposal)}</p>
        <p className="ma-wrap" dir="auto">
          {oneLine(summary)}
        </p>
        <p className="ma-quiet">
          {texts.files(files.length)} <Counts files={files} />
          {message.commit !== null && ` · ${texts.committed(message.commit.slice(0, 7))}`}
        </p>
        {error !== undefined && (
          <p className="ma-error ma-wrap" role="alert" dir="auto">
            <Printed text={error} />
          </p>
        )}
        {dependencies.length > 0 && <Packages message={message} proposal={proposal} isOpen={choosing !== undefined} />}
        {declined.length > 0 && (
          <p className="ma-quiet ma-wrap" dir="auto">
            <Printed text={texts.declined(declined)} />
          </p>
        )}
        {offers.length > 0 && <p className="ma-wrap">{texts.offers(offers.join(', '))}</p>}
        {(state === 'pending' || state === 'failed' || state === 'applying') && (
          <div className="ma-actions">
            <Decision message={message} proposal={proposal} />
          </div>
        )}
      </header>
      {problems === null ? (
        <p className="ma-quiet">
          <Printed text={texts.problemsUnknown(unchecked)} />
        </p>
      ) : problems.length === 0 ? (
        <p className="ma-quiet">{texts.problemsNone}</p>
      ) : (
        <section className="ma-review-problems" aria-label={texts.tabs.problems}>
          <p className="ma-warning ma-strong">{texts.problems(problems.length)}</p>
          <ProblemList problems={problems} />
        </section>
      )}
      <DiffView files={files} {...(choosing && { choosing })} />
    </div>
  );
}

interface PackagesProps {
  message: Message;
  proposal: Proposal;
  /** Whether the person can still decide about them. */
  isOpen: boolean;
}

/** The packages that a proposal adds. They run code, so a person can leave them out and approve only the files. */
function Packages({ message, proposal, isOpen }: PackagesProps): ReactElement {
  const { isWithoutPackages } = useChosen(message.id);
  const words = texts.adds(oneLine(proposal.dependencies.join(', ')));
  if (!isOpen) return <p className="ma-wrap">{words}</p>;
  return (
    <label className="ma-check-row ma-wrap">
      <input
        type="checkbox"
        checked={!isWithoutPackages}
        onChange={() => chosenOf(message.id).set({ isWithoutPackages: !isWithoutPackages })}
      />
      <span>{words}</span>
    </label>
  );
}
