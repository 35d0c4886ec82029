import { useEffect, useRef, useState } from 'react';

/** Takes files that are dropped anywhere on the page. @returns whether files are being dragged over it */
export function useDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    // An element also gets `dragleave` when the pointer enters an element inside of it.
    let depth = 0;
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
    const set = (next: number): void => {
      depth = Math.max(0, next);
      setOver(depth > 0);
    };
    const controller = new AbortController();
    const on = (name: 'dragenter' | 'dragover' | 'dragleave' | 'drop', take: (event: DragEvent) => void): void => {
      const listener = (event: DragEvent): void => {
        if (!hasFiles(event)) return;
        // Otherwise the browser would leave the page and open the file.
        event.preventDefault();
        take(event);
      };
      addEventListener(name, listener, { signal: controller.signal });
    };
    on('dragenter', () => set(depth + 1));
    on('dragover', () => {});
    on('dragleave', () => set(depth - 1));
    on('drop', (event) => {
      set(0);
      latest.current([...(event.dataTransfer?.files ?? [])]);
    });
    return () => controller.abort();
  }, []);
  return isOver;
}
