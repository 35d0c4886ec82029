import { useEffect, useRef, useState, type RefObject } from 'react';
import { fromPreview, type FromPreview, type ToPreview } from '../../../shared/preview-messages.ts';

/** The most messages in a second. More are dropped unread. */
const maxASecond = 100;

export interface Frame {
  ref: RefObject<HTMLIFrameElement | null>;
  /** Whether the page in the frame has answered us. */
  isReady: boolean;
  say: (message: ToPreview) => void;
}

/** Exchanges messages with the page in a frame: only with this window and this origin, and only valid ones. */
export function useFrame(origin: string, onMessage: (message: FromPreview) => void): Frame {
  const ref = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  const latest = useRef(onMessage);
  latest.current = onMessage;
  const say = (message: ToPreview): void => ref.current?.contentWindow?.postMessage(message, origin);
  useEffect(() => {
    let heard = 0;
    let since = 0;
    const listen = (event: MessageEvent<unknown>): void => {
      const frame = ref.current?.contentWindow;
      if (event.source !== frame || event.origin !== origin) return;
      if (event.timeStamp - since >= 1_000) [since, heard] = [event.timeStamp, 0];
      if (++heard > maxASecond) return;
      const { success, data } = fromPreview.safeParse(event.data);
      if (!success) return;
      if (data.type === 'ready') {
        setReady(true);
        frame?.postMessage({ type: 'hello' } satisfies ToPreview, origin);
      } else latest.current(data);
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, [origin]);
  return { ref, isReady, say };
}
