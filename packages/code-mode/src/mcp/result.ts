import { isObject } from '../schema/schema.ts';

const mostMessage = 4_000;

/** A failure that a tool of a server reports. */
class ToolFailure extends Error {
  override readonly name = 'ToolError';
  readonly code = 'tool_failed';
}

/**
 * The value that a script gets from the result of an MCP tool: its structured content, or else its text (parsed if it
 * is a JSON object or list), or else its blocks.
 *
 * @throws {ToolFailure} the failure that the tool reports
 */
export function valueOfResult({
  content = [],
  structuredContent,
  isError,
}: {
  content?: unknown[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
}): unknown {
  const texts = content.map((block) => (isObject(block) && block['type'] === 'text' ? block['text'] : undefined));
  const text = texts.every((each) => typeof each === 'string') ? texts.join('\n') : undefined;
  if (isError === true) throw new ToolFailure((text ?? JSON.stringify(content)).slice(0, mostMessage));
  if (structuredContent !== undefined) return structuredContent;
  return text === undefined ? content : parsed(text);
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
