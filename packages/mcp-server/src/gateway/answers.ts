import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { CodeModeResult } from '@mustard-sandbox/code-mode';

/** The JSON Schema (draft 2020-12) of an answer. Some clients show a model only the structured part. */
export const outputSchema: NonNullable<Tool['outputSchema']> = {
  type: 'object',
  properties: {
    status: {
      type: 'string',
      enum: ['completed', 'waiting', 'failed', 'cancelled', 'expired'],
      description: 'waiting: call resume_script with `run` later.',
    },
    run: { type: 'string' },
    value: {
      description: 'The value of the script, when it is not too long.',
      anyOf: ['null', 'boolean', 'number', 'string', 'array', 'object'].map((type) => ({ type })),
    },
    text: { type: 'string', description: 'A shortened value, what the script waits for, or what went wrong.' },
    waitsFor: { type: 'array', items: { type: 'string' } },
    calls: {
      type: 'array',
      description: 'The calls that the script waits for.',
      items: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          tool: { type: 'string' },
          state: { type: 'string' },
          args: { type: 'array' },
        },
        required: ['id', 'tool', 'state', 'args'],
      },
    },
  },
  required: ['status', 'run'],
};

/** @param decideWith says how a person decides elsewhere on a run that waits */
export function answerOf(result: CodeModeResult, decideWith?: (run: string) => string): CallToolResult {
  const { status, run } = result;
  if (result.status === 'completed') {
    const { value = null, text } = result;
    const isWhole = text === (JSON.stringify(result.value) ?? 'undefined');
    return toResult(text, { status, run, ...(isWhole ? { value } : { text }) });
  }
  if (result.status === 'waiting') {
    const text = [result.text, ...howOn(run, decideWith)].join('\n');
    const calls = result.calls.map(({ id, tool, state, args }) => ({ id, tool, state, args }));
    return toResult(text, { status, run, text, waitsFor: result.waitsFor, calls });
  }
  return { ...toResult(result.text, { status, run, text: result.text }), isError: true };
}

/** The answer to a wrong call of the gateway itself, which a model can mend. */
export function refusal(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function howOn(run: string, decideWith: ((run: string) => string) | undefined): string[] {
  const decide = decideWith === undefined ? [] : [`A person decides with: ${decideWith(run)}`];
  return [...decide, `Afterwards resume_script({ "run": "${run}" }) gives the result. Tell the user, and do not poll.`];
}

function toResult(text: string, structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent, isError: false };
}
