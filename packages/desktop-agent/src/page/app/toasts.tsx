import { Icon, oneLine } from '@mustard-sandbox/cards';
import { useEffect, useRef, type ReactElement } from 'react';
import { Button, IconButton } from '../parts/controls.tsx';
import type { Toast } from '../state/agent-state.ts';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** How long a message stays by default, in ms. Errors stay until a person closes them. */
const usualMs = 6_000;

/** Messages about things that happened elsewhere than where a person is looking. */
export function Toasts(): ReactElement {
  const toasts = useAgentState((state) => state.toasts);
  return (
    <div className="ma-toasts" role="region" aria-label={texts.product} aria-live="polite">
      {toasts.map((toast) => (
        <OneToast key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function OneToast({ toast }: { toast: Toast }): ReactElement {
  const agent = useAgent();
  const element = useRef<HTMLDivElement>(null);
  const { id, kind, text, action, until } = toast;
  useEffect(() => {
    if (kind === 'error' && until === undefined) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    const wait = (ms: number): void => {
      timer = setTimeout(() => {
        // It stays while it is pointed at or has the focus, because a person may be about to press a button in it.
        if (element.current?.matches(':hover, :focus-within') === true) wait(1_000);
        else agent.dismissToast(id);
      }, ms);
    };
    wait(until === undefined ? usualMs : Math.max(0, until - Date.now()));
    return () => clearTimeout(timer);
  }, [agent, id, kind, until]);
  return (
    <div ref={element} className="ma-toast" data-kind={kind} role={kind === 'error' ? 'alert' : undefined}>
      {kind !== 'info' && <Icon name="warning" />}
      <span className="ma-wrap ma-toast-text" dir="auto">
        {oneLine(text)}
      </span>
      {action !== undefined && (
        <Button
          onClick={() => {
            action.run();
            agent.dismissToast(id);
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon="cross" label={texts.dismiss} onClick={() => agent.dismissToast(id)} />
    </div>
  );
}
