import { useEffect, useState, type FormEvent, type ReactElement } from 'react';
import {
  ConsentDialog,
  createConsentQueue,
  createRunStore,
  ScriptCard,
  useRuns,
  type CardEvent,
  type ConsentQueue,
  type Run,
  type RunStore,
} from '../../src/index.ts';
import type { ConsentRequest } from '@mustard-sandbox/agent-tool';
import { askServer, listen, loadFullOutput } from './server-api.ts';

const examples: Record<string, string> = {
  'Error codes': '',
  'An error': 'const lines = read_file("attachments:server.log", { length: 2000 }).split("\\n");\nlines[10000].length',
  'A crash': "'a'.repeat(500000000).length",
  'No end': 'let n = 0;\nwhile (true) n++;',
  'A long result': 'read_file("attachments:server.log", { length: 900000 })',
};

/** What the server sends beside the events of cards. */
type ServerEvent =
  | CardEvent
  | { type: 'gallery.ask'; id: string; request: ConsentRequest }
  | { type: 'gallery.withdraw'; id: string }
  | { type: 'gallery.ready'; example: string };

interface Live {
  store: RunStore;
  queue: ConsentQueue;
}

/** Turns the one stream of the server into cards and questions, until the signal is aborted. */
function connect({ store, queue }: Live, onExample: (script: string) => void, signal: AbortSignal): Promise<void> {
  const withdrawals = new Map<string, AbortController>();
  const passOn = async (
    { id, request }: { id: string; request: ConsentRequest },
    signal: AbortSignal,
  ): Promise<void> => {
    const answer = await queue.ask(request, { signal });
    if (!signal.aborted) await askServer('consent', { id, answer });
  };
  return listen((data) => {
    const event = data as ServerEvent;
    if (event.type === 'gallery.ready') onExample(event.example);
    else if (event.type === 'gallery.withdraw') withdrawals.get(event.id)?.abort();
    else if (event.type === 'gallery.ask') {
      const withdrawal = new AbortController();
      withdrawals.set(event.id, withdrawal);
      void passOn(event, withdrawal.signal).finally(() => withdrawals.delete(event.id));
    } else store.dispatch(event);
  }, signal);
}

/** A script box over the demo log, with the real tool behind it. */
export function LiveSection(): ReactElement {
  const [{ store, queue }] = useState<Live>(() => ({ store: createRunStore(), queue: createConsentQueue() }));
  const [script, setScript] = useState('');
  const [problem, setProblem] = useState('');
  const runs = useRuns(store);
  useEffect(() => {
    const closing = new AbortController();
    connect({ store, queue }, setScript, closing.signal).catch((error: unknown) => {
      if (!closing.signal.aborted) setProblem(`The connection to the server is gone: ${String(error)}`);
    });
    return () => closing.abort();
  }, [store, queue]);

  const run = (text: string, description?: string): void => {
    setProblem('');
    askServer('run', { script: text, ...(description !== undefined && { description }) }).catch((error: unknown) =>
      setProblem(String(error)),
    );
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    run(script);
  };
  const rerun = (card: Run) => () => run(card.script ?? '', card.description);
  return (
    <section id="live" aria-labelledby="live-title">
      <h2 id="live-title">Live</h2>
      <form onSubmit={submit}>
        <p className="buttons">
          {Object.entries(examples).map(([name, text]) => (
            <button
              key={name}
              type="button"
              onClick={() => (text === '' ? void askServer('example', {}) : setScript(text))}
            >
              {name}
            </button>
          ))}
        </p>
        <label>
          <span>A script over the demo log</span>
          <textarea rows={8} value={script} spellCheck={false} onChange={(event) => setScript(event.target.value)} />
        </label>
        <p className="buttons">
          <button type="submit">Run the script</button>
        </p>
      </form>
      {problem !== '' && <p role="alert">{problem}</p>}
      <div className="stack" id="live-cards">
        {runs.map((card, index) => (
          <ScriptCard key={card.runId ?? index} run={card} onRerun={rerun(card)} loadFullOutput={loadFullOutput} />
        ))}
      </div>
      <ConsentDialog queue={queue} />
    </section>
  );
}
