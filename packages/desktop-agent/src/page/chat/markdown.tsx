import { CopyButton, Printed } from '@mustard-sandbox/cards';
import { memo, useDeferredValue, useMemo, type ReactElement, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { texts } from '../words/texts.ts';
import { blocksOf } from './blocks.ts';
import { safeAddress, showHidden } from './harmless.ts';

/** The longest text that is parsed, in characters. The parser would need seconds for some longer ones. */
const longest = 200_000;
const longestLine = 20_000;

/** Markdown of a model. HTML in it is shown as text. While it streams, only the last block is parsed again. */
export function Markdown({ text, isStreaming }: { text: string; isStreaming: boolean }): ReactElement | null {
  const shown = useDeferredValue(text);
  const current = isStreaming ? shown : text;
  const blocks = useMemo(() => blocksOf(current), [current]);
  if (current.trim() === '') return null;
  if (isTooLong(current)) {
    return (
      <div className="ma-markdown">
        <p className="ma-quiet">{texts.tooLongForMarkdown}</p>
        <p className="ma-plain" dir="auto" tabIndex={0}>
          <Printed text={current} />
        </p>
      </div>
    );
  }
  return (
    <div className="ma-markdown" dir="auto" data-streaming={isStreaming || undefined}>
      {blocks.map((block, index) => (
        <Block key={index} text={block} />
      ))}
    </div>
  );
}

function isTooLong(text: string): boolean {
  return text.length > longest || text.split('\n').some((line) => line.length > longestLine);
}

const Block = memo(function Block({ text }: { text: string }): ReactElement {
  return (
    <ReactMarkdown
      remarkPlugins={plugins}
      rehypePlugins={rehypePlugins}
      components={components}
      urlTransform={safeAddress}
    >
      {text}
    </ReactMarkdown>
  );
});

const plugins = [remarkGfm];
const rehypePlugins = [showHidden];

const components: Components = {
  a: ({ href, children }) =>
    href === undefined || href === '' ? (
      <span>{children}</span>
    ) : (
      <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
        {children}
      </a>
    ),
  // An image from a server would tell that server that the text was read.
  img: ({ src, alt }) =>
    typeof src === 'string' && src !== '' ? <img src={src} alt={alt ?? ''} loading="lazy" /> : <span>{alt}</span>,
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  table: ({ children }) => (
    <div className="ma-table" tabIndex={0} role="group">
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => <span className="ma-check">{checked === true ? '☑' : '☐'}</span>,
};

function CodeBlock({ children }: { children: ReactNode }): ReactElement {
  const text = plainText(children).replace(/\n$/, '');
  const language = languageOf(children);
  return (
    <figure className="ma-code-block" dir="ltr">
      <figcaption>
        <span className="ma-quiet">{language}</span>
        <CopyButton text={text} label={texts.copyCode} />
      </figcaption>
      <pre tabIndex={0}>
        <code>
          <Printed text={text} />
        </code>
      </pre>
    </figure>
  );
}

interface WithChildren {
  props: { children?: ReactNode; className?: string };
}

function isElement(node: ReactNode): node is ReactElement & WithChildren {
  return typeof node === 'object' && node !== null && 'props' in node;
}

function plainText(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  if (Array.isArray(node)) return node.map((one: ReactNode) => plainText(one)).join('');
  return isElement(node) ? plainText(node.props.children) : '';
}

function languageOf(node: ReactNode): string {
  const name = isElement(node) ? node.props.className : undefined;
  return /language-([\w+#.-]{1,30})/.exec(name ?? '')?.[1] ?? '';
}
