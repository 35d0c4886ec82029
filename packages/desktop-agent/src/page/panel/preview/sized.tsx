import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { PageWidth } from './bar.tsx';

/** Gives a page the width of a device, and scales it down if there is less room. */
export function Sized({ width, children }: { width: PageWidth; children: ReactElement }): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<{ width: number; height: number }>();
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setRoom(entry.contentRect));
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const scale = width === 'full' || room === undefined ? 1 : Math.min(1, room.width / width);
  const style =
    width === 'full' || room === undefined
      ? { inlineSize: '100%', blockSize: '100%' }
      : { inlineSize: width, blockSize: room.height / scale, transform: `scale(${scale})` };
  return (
    <div ref={box} className="ma-preview-box">
      <div className="ma-preview-page" style={style}>
        {children}
      </div>
    </div>
  );
}
