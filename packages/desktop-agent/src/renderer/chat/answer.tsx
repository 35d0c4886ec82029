import { memo, useRef, type ReactElement } from 'react';
import { createTagParser, type Segment, type TagParser } from '../../changes/tags.ts';
import { Markdown } from './markdown.tsx';
import { Reasoning } from './reasoning.tsx';
import { TagCard } from './tag-card.tsx';

/** A text of the model: markdown, with a card in the place of each tag. */
export const Answer = memo(function Answer({
  text,
  isStreaming,
}: {
  text: string;
  isStreaming: boolean;
}): ReactElement {
  const segments = useSegments(text, isStreaming);
  return (
    <>
      {segments.map((segment, index) => {
        const isOpen = isStreaming && index === segments.length - 1;
        switch (segment.type) {
          case 'text':
            return <Markdown key={index} text={segment.text} isStreaming={isOpen} />;
          case 'reasoning':
            return <Reasoning key={index} text={segment.text} isStreaming={isOpen} />;
          case 'summary':
            // It is the title of the chat and the subject of the commit.
            return null;
          default:
            return <TagCard key={index} segment={segment} isStreaming={isOpen} />;
        }
      })}
    </>
  );
});

/** Parses only what is new: the parser of an answer lives as long as its text is the beginning of the next one. */
function useSegments(text: string, isStreaming: boolean): readonly Segment[] {
  const known = useRef<{ parser: TagParser; text: string; isEnded: boolean }>(undefined);
  let state = known.current;
  if (state === undefined || !text.startsWith(state.text) || (state.isEnded && text !== state.text)) {
    state = { parser: createTagParser(), text: '', isEnded: false };
  }
  if (text.length > state.text.length) state.parser.push(text.slice(state.text.length));
  if (!isStreaming && !state.isEnded) state.parser.end();
  known.current = { parser: state.parser, text, isEnded: state.isEnded || !isStreaming };
  return state.parser.segments;
}
