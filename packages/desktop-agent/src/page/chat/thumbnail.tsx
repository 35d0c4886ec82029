import { oneLine, QuestionDialog } from '@mustard-sandbox/cards';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { Button } from '../parts/controls.tsx';
import { pictureOf } from '../picture.ts';
import { useAgent } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

interface ThumbnailProps {
  chatId: string;
  name: string;
  /** Called when the picture cannot be drawn. */
  onUnshown: () => void;
}

/** A small picture of a message, which opens at a click. Its place is kept while it is loading. */
export function Thumbnail({ chatId, name, onUnshown }: ThumbnailProps): ReactElement {
  const agent = useAgent();
  const [address, setAddress] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const unshown = useRef(onUnshown);
  unshown.current = onUnshown;
  useEffect(() => {
    let made: string | undefined;
    let isGone = false;
    const load = async (): Promise<void> => {
      const picture = await pictureOf(await agent.download({ chatId, path: name, from: 'picture' }));
      if (isGone) return;
      if (picture === undefined) return unshown.current();
      made = URL.createObjectURL(picture);
      setAddress(made);
    };
    load().catch(() => !isGone && unshown.current());
    return () => {
      isGone = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [agent, chatId, name]);
  const title = oneLine(name);
  const close = (): void => setOpen(false);
  return (
    <>
      <button
        type="button"
        className="ma-thumbnail"
        aria-label={texts.openPicture(title)}
        title={title}
        aria-disabled={address === undefined}
        onClick={() => address !== undefined && setOpen(true)}
      >
        {address !== undefined && <img src={address} alt="" decoding="async" onError={onUnshown} />}
      </button>
      {isOpen && (
        <QuestionDialog
          title={title}
          onEscape={close}
          actions={
            <div className="ms-dialog-actions">
              <span className="ms-spacer" />
              <Button data-safe onClick={close}>
                {texts.close}
              </Button>
            </div>
          }
        >
          <img className="ma-large-picture" src={address} alt={title} />
        </QuestionDialog>
      )}
    </>
  );
}
