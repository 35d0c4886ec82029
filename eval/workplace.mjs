import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createExecuteSandboxScriptTool } from '@mustard-sandbox/agent-tool';
import { makeData } from './data/index.mjs';

/** Questions, their files in a folder of their own, and the tool that scripts run by. Close it. */
export function makeWorkplace({ scale, seconds, questions: list, only = [] }) {
  const folder = mkdtempSync(join(tmpdir(), 'mustard-eval-'));
  const { questions, files } = makeData(folder, scale, list);
  const attached = files.filter((name) => !name.startsWith('project/'));
  // The basic questions are asked without `save`: what it adds to the description could change their results.
  const outputs = list === 'basics' ? undefined : join(folder, 'outputs');
  const tool = createExecuteSandboxScriptTool({
    appPath: join(folder, 'project'),
    attachments: attached.map((name) => join(folder, name)),
    outputs,
    settings: { consent: 'always', timeoutMs: 1000 * seconds },
  });
  const isAsked = ({ id }) => only.length === 0 || only.some((word) => id.startsWith(word));
  return {
    folder,
    attached,
    tool,
    questions: questions.filter(isAsked),
    async close() {
      await tool.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const peekBytes = 700;

/** What a host tells a model of a file: its size, and how it begins. */
function peekOf(folder, name) {
  const path = join(folder, name);
  const shown = name.startsWith('project/') ? name.slice('project/'.length) : `attachments:${name}`;
  const { size } = statSync(path);
  const start = readFileSync(path).subarray(0, peekBytes);
  const isText = !start.includes(0) && !/\.(?:gz|pdf|bin|xlsx|zip|parquet)$/.test(name);
  return `${shown} (${size} bytes)${isText ? `, begins:\n${start.toString('utf8')}` : ', not text'}`;
}

/** A question as a model gets it. */
export function promptFor({ ask, format, files }, folder) {
  const about =
    files.length === 0
      ? 'The files are in the project folder.'
      : files.map((name) => peekOf(folder, name)).join('\n\n');
  return `${about}\n\n${ask}\nThe answer of the script must be ${format}, and nothing else.`;
}
