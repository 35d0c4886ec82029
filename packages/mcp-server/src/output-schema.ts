import type { CallToolResult } from '@modelcontextprotocol/server';
import type { SavedOutput } from '@mustard-sandbox/client';
import { outputPrefix } from '@mustard-sandbox/paths';
import { resourceUri } from './resource-uri.ts';
import * as z from 'zod';
import type { ExecuteSandboxScriptResult } from '@mustard-sandbox/agent-tool';

const count = z.int().min(0);

/**
 * The structured answer. Some clients show a model only this and not the text beside it. So it holds everything that
 * the model needs, and holds it only once: as `value`, or as `text` where `value` cannot say it.
 */
const outputSchema = z.strictObject({
  status: z
    .enum(['completed', 'failed', 'denied'])
    .describe('failed: the script did not run to its end. denied: it was not allowed to run.'),
  value: z.unknown().optional(),
  note: z.string().optional().describe('Facts that the value cannot express.'),
  text: z.string().optional().describe('A shortened answer, why there is no answer, or what to do next.'),
  truncated: z.boolean().optional().describe('Whether the answer is shortened.'),
  fullOutput: z.string().optional().describe('Where the next script can read the whole text of a shortened answer.'),
  errorCode: z.string().optional().describe('The code of a failed script, such as timeout or script_error.'),
  reason: z.string().optional().describe('Why a script was not allowed to run, such as declined.'),
  warnings: z
    .array(z.string())
    .optional()
    .describe('Where the answer may differ from the meaning of the script in JavaScript.'),
  outputs: z
    .array(z.strictObject({ name: z.string(), size: count }))
    .optional()
    .describe('The files that the script saved, which later scripts read as outputs:<name>.'),
  attachmentsRead: z.array(z.string()).optional().describe('Names of the attachments that the script read.'),
  stats: z
    .strictObject({
      durationMs: z.number().min(0),
      executionMs: z.number().min(0).optional(),
      instructionsUsed: count.optional(),
      heapBytesUsed: count.optional(),
      hostCalls: count.optional(),
      bytesRead: count.optional(),
    })
    .describe('Times in ms, sizes in bytes.'),
});

type Output = z.input<typeof outputSchema>;

// zod would make an empty schema or a list of types, and not every client reads those.
const valueSchema = {
  description: 'The answer of the script, when it is not too long.',
  anyOf: ['null', 'boolean', 'number', 'string', 'array', 'object'].map((type) => ({ type })),
};

const { properties, ...generated } = z.toJSONSchema(outputSchema);

/** `outputSchema` as JSON Schema (draft 2020-12). */
export const outputJsonSchema: { type: 'object' } & Record<string, unknown> = {
  ...generated,
  type: 'object',
  properties: { ...properties, value: valueSchema },
};

/**
 * The answer of a call for the client: text, the same as a structure, and whether the script must be rewritten.
 *
 * @param images of the charts that the script kept
 */
export function toCallToolResult(
  result: ExecuteSandboxScriptResult,
  images: CallToolResult['content'],
): CallToolResult {
  const links = linksTo(result.status === 'denied' ? [] : result.outputs);
  return {
    content: [{ type: 'text', text: result.text }, ...images, ...links],
    structuredContent: structured(result),
    isError: result.status !== 'completed',
  };
}

function linksTo(outputs: readonly SavedOutput[]): CallToolResult['content'] {
  return outputs.map(({ name, size }) => {
    const known = outputPrefix + name;
    const description = `Scripts read it as ${JSON.stringify(known)}.`;
    return { type: 'resource_link', uri: resourceUri(known), name, title: name, description, size };
  });
}

function named(outputs: readonly SavedOutput[]): Pick<Output, 'outputs'> {
  return outputs.length === 0
    ? {}
    : { outputs: outputs.map(({ name, size }) => ({ name: outputPrefix + name, size })) };
}

function structured(result: ExecuteSandboxScriptResult): Output {
  const { status, text, record } = result;
  const { stats } = record;
  if (status === 'failed') return { status, text, errorCode: result.error.code, ...named(result.outputs), stats };
  if (status === 'denied') return { status, text, reason: result.reason, stats };
  const { value, truncated, fullOutput, attachmentsRead, warnings, note, outputs } = result;
  // The text already has the note.
  const answer = value === undefined ? { text } : { value, ...(note !== undefined && { note }) };
  return {
    status,
    ...answer,
    truncated,
    ...(fullOutput !== undefined && { fullOutput }),
    ...(warnings.length > 0 && { warnings: warnings.map(({ message }) => message) }),
    ...named(outputs),
    attachmentsRead,
    stats,
  };
}
