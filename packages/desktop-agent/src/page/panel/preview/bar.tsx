import { Icon } from '@mustard-sandbox/cards';
import { useEffect, useState, type ReactElement } from 'react';
import type { Preview } from '../../../shared/contract/index.ts';
import { Button, IconButton } from '../../parts/controls.tsx';
import { useAgent } from '../../state/use-agent.ts';
import { texts } from '../../words/texts.ts';

const widths = ['full', 360, 768, 1280] as const;
export type PageWidth = (typeof widths)[number];

interface BarProps {
  preview: Preview;
  path: string;
  width: PageWidth;
  isPicking: boolean;
  /** Whether the page in the frame has answered us. */
  isReady: boolean;
  onGo: (path: string) => void;
  onBack: () => void;
  onReload: () => void;
  onWidth: (width: PageWidth) => void;
  onPick: () => void;
}

/** A bar as browsers have it above a page, and the button that stops the app. */
export function Bar(props: BarProps): ReactElement {
  const { preview, path, width, isPicking, isReady, onGo, onBack, onReload, onWidth, onPick } = props;
  const { appId, ports, port } = preview;
  const agent = useAgent();
  const outside = `http://localhost:${port}${path}`;
  return (
    <div className="ma-preview-bar" role="toolbar" aria-label={texts.previewBar}>
      <div className="ma-preview-row">
        <IconButton icon="back" label={texts.previewBack} onClick={onBack} />
        <IconButton icon="reload" label={texts.previewReload} onClick={onReload} />
        <Address path={path} onGo={onGo} />
        <IconButton
          icon="target"
          label={texts.previewPick}
          aria-pressed={isPicking}
          aria-disabled={!isReady}
          onClick={onPick}
        />
        <a
          className="ms-icon-button"
          href={outside}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={texts.previewOutside}
          title={texts.previewOutside}
        >
          <Icon name="outside" />
        </a>
      </div>
      <div className="ma-preview-row">
        <select
          className="ms-input ma-select"
          aria-label={texts.previewWidth}
          value={width}
          onChange={({ target }) => onWidth(widths.find((one) => String(one) === target.value) ?? 'full')}
        >
          {widths.map((one) => (
            <option key={one} value={one}>
              {texts.previewWidths[one]}
            </option>
          ))}
        </select>
        {ports.length > 1 && (
          <select
            className="ms-input ma-select"
            aria-label={texts.previewPort}
            value={port ?? ''}
            onChange={({ target }) =>
              void agent.attempt(() => agent.call('choose-preview-port', { appId, port: Number(target.value) }))
            }
          >
            {ports.map((one) => (
              <option key={one} value={one}>
                {texts.previewPortName(one)}
              </option>
            ))}
          </select>
        )}
        <span className="ms-spacer" />
        <Button
          icon="stop"
          aria-label={texts.previewStop}
          onClick={() => void agent.attempt(() => agent.call('stop-preview', { appId }))}
        >
          {texts.previewStopShort}
        </Button>
      </div>
    </div>
  );
}

/** The address in the app. Typed text stays until the person goes there or leaves the field. */
function Address({ path, onGo }: { path: string; onGo: (path: string) => void }): ReactElement {
  const [written, setWritten] = useState(path);
  const [isWriting, setWriting] = useState(false);
  useEffect(() => {
    if (!isWriting) setWritten(path);
  }, [path, isWriting]);
  return (
    <form
      className="ma-preview-address"
      onSubmit={(event) => {
        event.preventDefault();
        setWriting(false);
        onGo(pathIn(written));
      }}
    >
      <input
        className="ms-input"
        aria-label={texts.previewAddress}
        dir="ltr"
        spellCheck={false}
        autoComplete="off"
        maxLength={4_000}
        value={written}
        onChange={(event) => {
          setWriting(true);
          setWritten(event.target.value);
        }}
        onBlur={() => setWriting(false)}
      />
    </form>
  );
}

/** The path in the app, also of a whole address. */
function pathIn(text: string): string {
  const trimmed = text.trim();
  if (/^https?:\/\//i.test(trimmed) && URL.canParse(trimmed)) {
    const { pathname, search, hash } = new URL(trimmed);
    return pathname + search + hash;
  }
  return trimmed.startsWith('/') ? trimmed : `/${trimmed}`;
}
