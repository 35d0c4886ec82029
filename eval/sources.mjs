// Who writes the scripts. A source gives a function for each question, which is called once a try: with what the tool
// answered to the try before, it gives the next script, or none.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolDefinition } from '@mustard-sandbox/agent-tool';
import { UsageError } from './options.mjs';
import { promptFor } from './workplace.mjs';

/** @typedef {{ script: string | undefined, tokens: number, ms: number, problem?: string }} Try */

/** Scripts that were written elsewhere, in a folder or, the first tries only, in one JSON file. */
export function scriptsIn(place) {
  if (!existsSync(place)) throw new UsageError(`--scripts ${place}: there is nothing of that name`);
  const first = place.endsWith('.json') ? firstTriesIn(place) : undefined;
  const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  return ({ id }) => {
    let count = 0;
    /** @returns {Promise<Try>} */
    return async () => {
      count++;
      const named = count === 1 ? first?.[id] : undefined;
      const script = first === undefined ? read(join(place, count === 1 ? `${id}.js` : `${id}.${count}.js`)) : named;
      return { script, tokens: 0, ms: 0 };
    };
  };
}

function firstTriesIn(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new UsageError(`--scripts ${path}: it is no JSON`);
  }
}

const system =
  'You answer questions about files by calling the tool execute_sandbox_script. Call it once with a script whose value is the answer. If it fails, call it again with a better script.';

/** A model behind an endpoint of the OpenAI kind. */
export function modelAt({ baseUrl, model, key }, { tool, folder }) {
  const { name, description, inputSchema } = toolDefinition(tool);
  const tools = [{ type: 'function', function: { name, description, parameters: inputSchema } }];
  return (question) => {
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content: promptFor(question, folder) },
    ];
    let call;
    /** @returns {Promise<Try>} */
    return async (answer) => {
      if (call !== undefined) messages.push({ role: 'tool', tool_call_id: call.id, content: answer });
      const startedAt = performance.now();
      const response = await fetch(`${baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify({ model, messages, tools, temperature: 0 }),
      });
      const ms = performance.now() - startedAt;
      if (!response.ok)
        throw new Error(`${baseUrl} answered ${response.status}: ${(await response.text()).slice(0, 500)}`);
      const { choices, usage } = /** @type {any} */ (await response.json());
      const message = choices?.[0]?.message ?? {};
      messages.push(message);
      call = message.tool_calls?.[0];
      return { ...scriptOf(call), tokens: usage?.total_tokens ?? 0, ms };
    };
  };
}

function scriptOf(call) {
  if (call === undefined) return { script: undefined, problem: 'no call of the tool' };
  try {
    const { script } = JSON.parse(call.function.arguments);
    return typeof script === 'string' ? { script } : { script: undefined, problem: 'a call without a script' };
  } catch {
    return { script: undefined, problem: 'arguments that are no JSON' };
  }
}
