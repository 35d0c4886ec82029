import { AttachmentList } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { ChatAttachment } from '../../shared/contract/index.ts';
import { pictureTypes } from '../../shared/picture.ts';
import { texts } from '../words/texts.ts';
import { Thumbnail } from './thumbnail.tsx';

/** The files of a message: pictures as thumbnails, all others by name and size. */
export function Attached({
  chatId,
  attachments,
}: {
  chatId: string;
  attachments: readonly ChatAttachment[];
}): ReactElement {
  // Pictures whose bytes are gone or are not a picture are shown as files.
  const [unshown, setUnshown] = useState<readonly string[]>([]);
  const isShown = ({ name, mediaType, path }: ChatAttachment): boolean =>
    path !== undefined && pictureTypes.has(mediaType) && !unshown.includes(name);
  const pictures = attachments.filter(isShown);
  const files = attachments.filter((one) => !isShown(one));
  return (
    <>
      {pictures.length > 0 && (
        <ul className="ma-thumbnails" aria-label={texts.pictures}>
          {pictures.map(({ name }) => (
            <li key={name}>
              <Thumbnail chatId={chatId} name={name} onUnshown={() => setUnshown((names) => [...names, name])} />
            </li>
          ))}
        </ul>
      )}
      {files.length > 0 && (
        <AttachmentList
          attachments={files.map(({ name, bytes, mediaType, path }) => ({
            name,
            size: bytes,
            mediaType,
            ...(path !== undefined && { path }),
          }))}
        />
      )}
    </>
  );
}
