// Runs in each page of an app that the preview shows, before all scripts of the app. It is put there by the proxy.
import { fromPreview, start } from './channel.ts';
import { keepCookies } from './cookies.ts';
import { watchIssues } from './issues.ts';
import { leaveFocus } from './own-focus.ts';
import { watchPath } from './path.ts';
import { pick, stopPicking } from './pick.ts';
import { keepStorage } from './storage.ts';

// The app must find its page as it wrote it.
document.currentScript?.remove();

// It works only in the agent's own frame, and not in a window or in a frame of the app.
if (parent !== self && parent === top) {
  keepCookies();
  leaveFocus();
  if (keepStorage()) fromPreview({ type: 'no-storage' });
  watchIssues();
  watchPath();
  start({
    hello: () => {},
    back: () => history.back(),
    pick: ({ on }) => (on ? pick() : stopPicking()),
  });
  fromPreview({ type: 'ready' });
}
