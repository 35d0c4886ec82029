import { fromPreview } from './channel.ts';
import { replace } from './replace.ts';

/** Reports the path of the app, also when a script changes it. */
export function watchPath(): void {
  let told = '';
  const tell = (): void => {
    const path = (location.pathname + location.search + location.hash).slice(0, 4_000);
    if (path === told) return;
    told = path;
    fromPreview({ type: 'at', path });
  };
  for (const name of ['pushState', 'replaceState'] as const) {
    replace(history, name, (original) => (...args) => {
      original.apply(history, args);
      tell();
    });
  }
  addEventListener('popstate', tell);
  addEventListener('hashchange', tell);
  addEventListener('pageshow', tell);
  tell();
}
