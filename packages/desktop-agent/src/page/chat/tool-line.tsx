import { Icon, oneLine, Printed, type IconName } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Part } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';

type ToolPart = Extract<Part, { type: 'tool' }>;

const icons: Record<ToolPart['state'], IconName> = {
  running: 'running',
  done: 'check',
  failed: 'warning',
  denied: 'hand',
  stopped: 'stop',
};

/** The icons of proposed changes, by the name of the tag or the tool. */
const tagIcons = new Map<string, IconName>([
  ['write', 'pencil'],
  ['write_file', 'pencil'],
  ['edit', 'pencil'],
  ['edit_file', 'pencil'],
  ['rename', 'file'],
  ['rename_file', 'file'],
  ['delete', 'trash'],
  ['delete_file', 'trash'],
  ['dependencies', 'package'],
  ['command', 'terminal'],
]);

/** A finished tag is only a proposal: nothing is written before a person approves it. */
function stateOf({ name, state }: ToolPart): string {
  return state === 'done' && tagIcons.has(name) ? texts.toolProposed : texts.toolStates[state];
}

function iconOf({ name, state }: ToolPart): IconName {
  const isWell = state === 'running' || state === 'done';
  return (isWell ? tagIcons.get(name) : undefined) ?? icons[state];
}
/** A line for any other call of the model, and for each proposed change. It can be opened when there is more to show. */
export function ToolLine({ part }: { part: ToolPart }): ReactElement {
  const { title, name, state, detail } = part;
  const line = (
    <>
      <Icon name={iconOf(part)} />
      <span className="ma-cut" dir="auto">
        {oneLine(title === '' ? name : title)}
      </span>
      <span className="ma-quiet">{stateOf(part)}</span>
    </>
  );
  if (detail === '') {
    return (
      <div className="ma-tool" data-state={state}>
        <div className="ma-tool-line">{line}</div>
      </div>
    );
  }
  return (
    <details className="ma-tool" data-state={state} open={state === 'failed'}>
      <summary className="ma-tool-line">
        {line}
        <Icon name="chevron" />
      </summary>
      <pre className="ma-pre" tabIndex={0} dir="auto">
        <Printed text={detail} />
      </pre>
    </details>
  );
}
