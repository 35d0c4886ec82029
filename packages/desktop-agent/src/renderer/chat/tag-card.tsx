import { Icon, oneLine, type IconName } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { Segment } from '../../changes/tags.ts';
import { LongText } from '../parts/long-text.tsx';
import { texts } from '../words/texts.ts';

type Tag = Exclude<Segment, { type: 'text' | 'reasoning' | 'summary' }>;

/** How many lines of a file are shown in the chat; the diff has all of them. */
const mostLines = 200;

/** What an answer wants to change, as it comes: a line that opens to the content. */
export function TagCard({ segment, isStreaming }: { segment: Tag; isStreaming: boolean }): ReactElement {
  if (segment.type !== 'write') {
    const [icon, verb, object] = told(segment);
    return (
      <div className="ma-tool ma-tag">
        <div className="ma-tool-line">
          <Icon name={icon} />
          <span>{verb}</span>
          <code className="ma-cut">{oneLine(object)}</code>
        </div>
      </div>
    );
  }
  const { path, description, content, done } = segment;
  const lines = content === '' ? [] : content.replace(/\n$/, '').split('\n');
  const status = done ? texts.tagLines(lines.length) : isStreaming ? texts.tagLines(lines.length) : texts.tagUnfinished;
  return (
    <details className="ma-tool ma-tag" data-state={done ? 'done' : isStreaming ? 'running' : 'failed'}>
      <summary className="ma-tool-line">
        <Icon name={done || isStreaming ? 'pencil' : 'warning'} />
        <span>{isStreaming && !done ? texts.tagWriting : texts.tagWrite}</span>
        <code className="ma-cut" title={oneLine(path)}>
          {oneLine(path)}
        </code>
        <span className="ma-quiet ma-number">{status}</span>
        <Icon name="chevron" />
      </summary>
      {description !== '' && <p className="ma-tag-text ma-quiet">{oneLine(description)}</p>}
      <pre className="ma-pre" tabIndex={0} dir="ltr" aria-label={oneLine(path)}>
        {lines.slice(0, mostLines).map((line, index) => (
          <span key={index} className="ma-pre-line">
            <LongText text={line} />
            {'\n'}
          </span>
        ))}
        {lines.length > mostLines && `… ${texts.tagLines(lines.length - mostLines)}`}
      </pre>
    </details>
  );
}

function told(segment: Exclude<Tag, { type: 'write' }>): [IconName, string, string] {
  switch (segment.type) {
    case 'rename':
      return ['file', texts.tagRename, texts.renamedFrom(segment.from, segment.to)];
    case 'delete':
      return ['trash', texts.tagDelete, segment.path];
    case 'dependencies':
      return ['package', texts.tagDependencies, segment.packages.join(' ')];
    case 'command':
      return ['terminal', texts.tagCommand, texts.commandNames[segment.command] ?? segment.command];
  }
}
