// The page that a host of MCP Apps shows beside a call of the tool: the card of that call, and nothing else.
import { App } from '@modelcontextprotocol/ext-apps';
import type { ScriptRecord } from '@mustard-sandbox/agent-tool';
import { rowsScript } from '@mustard-sandbox/protocol/rows';
import { useState, useSyncExternalStore, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
// Not by the index: what the page does not show is not built into it.
import type { Run } from '../src/run/run.ts';
import type { RowsLoader } from '../src/table/rows-loader.ts';
import { createRunStore, type CardEvent } from '../src/run/run-store.ts';
import { ScriptCard } from '../src/script-card/script-card.tsx';
import { readRecord, resourceUri, toolName, type ToolResult } from './host.ts';

const runId = 'call';
const app = new App({ name: 'mustard-sandbox', version: '0.1.0' }, {});
const store = createRunStore();
const dispatch = (event: CardEvent): void => store.dispatch(event);
const now = (): string => new Date().toISOString();

/** The call that a host shows has one card; running it again is another card below it. */
function Cards(): ReactElement {
  const runs = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const [problem, setProblem] = useState('');
  const rerun = (run: Run) => async (): Promise<void> => {
    setProblem('');
    try {
      await callAgain(run);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <main>
      {runs.map((run, index) => (
        <ScriptCard
          key={index}
          run={run}
          onRerun={() => void rerun(run)()}
          onRetry={(guidance) => void app.sendMessage({ role: 'user', content: [{ type: 'text', text: guidance }] })}
          loadFullOutput={loadFullOutput}
          loadOutput={loadOutput}
          loadRows={loadRows}
          downloadOutput={downloadOutput}
        />
      ))}
      {problem !== '' && (
        <p className="ms ms-problem" role="alert">
          {problem}
        </p>
      )}
    </main>
  );
}

async function callAgain({ script = '', description }: Run): Promise<void> {
  const id = `again-${store.getSnapshot().length}`;
  const args = { script, ...(description !== undefined && { description }) };
  const before = store.getSnapshot().length;
  dispatch({ type: 'card.called', at: now(), runId: id, ...args });
  try {
    const result = await app.callServerTool({ name: toolName, arguments: args });
    dispatch({ type: 'card.answered', at: now(), runId: id, record: readRecord(result as ToolResult, args) });
  } catch (error) {
    // The host did not let it through: the card says so instead of running for ever.
    if (store.getSnapshot().length > before) {
      const code = 'cancelled';
      dispatch({ type: 'sandbox.script.failed', at: now(), runId: id, scriptHash: '', durationMs: 0, code });
    }
    throw error;
  }
}

/** The file of a long result is a resource of the server. */
async function loadFullOutput(name: string): Promise<string> {
  const { contents } = await app.readServerResource({ uri: resourceUri(name) });
  const [first] = contents;
  if (first === undefined || !('text' in first)) throw new Error('That is no text.');
  return first.text;
}

/** So is each file that a script has saved. */
function loadOutput(name: string): Promise<string> {
  return loadFullOutput(`outputs:${name}`);
}

/** A script like any other reads the page: what it may read, and whether the person is asked, is as for all of them. */
const loadRows: RowsLoader = async (name, request, columns) => {
  const script = rowsScript(`outputs:${name}`, request, columns);
  const { isError, structuredContent } = await app.callServerTool({ name: toolName, arguments: { script } });
  const { value, text } = (structuredContent ?? {}) as { value?: unknown; text?: unknown };
  if (isError === true) throw new Error(typeof text === 'string' ? text : '');
  if (value === undefined) throw new Error('A page of this table is too long for an answer. Download the file.');
  return value;
};

/** The host saves it: a page in a sandbox of the browser cannot. */
function downloadOutput(name: string): void {
  void app.downloadFile({ contents: [{ type: 'resource_link', uri: resourceUri(`outputs:${name}`), name }] });
}

function follow({ theme, locale }: { theme?: string | undefined; locale?: string | undefined }): void {
  const { documentElement: page } = document;
  if (theme === 'light' || theme === 'dark') page.dataset['theme'] = theme;
  if (locale !== undefined) page.lang = locale;
}

let args: { script: string; description?: string } = { script: '' };
app.addEventListener('toolinput', (input) => {
  args = { ...args, ...(input.arguments as Partial<typeof args>) };
  dispatch({ type: 'card.called', at: now(), runId, ...args });
});
app.addEventListener('toolresult', (result) => {
  const record: ScriptRecord = readRecord(result as ToolResult, args);
  dispatch({ type: 'card.answered', at: now(), runId, record });
});
app.addEventListener('toolcancelled', () => {
  dispatch({ type: 'sandbox.script.failed', at: now(), runId, scriptHash: '', durationMs: 0, code: 'cancelled' });
});
app.addEventListener('hostcontextchanged', follow);

createRoot(document.querySelector('#root') as HTMLElement).render(<Cards />);
await app.connect();
follow(app.getHostContext() ?? {});
