import { isObject } from '../schema/schema.ts';

const mostMessage = 4_000;

/** What a tool of a server says that it could not do. */
class ToolFailure extends Error {
  override readonly name = 'ToolError';
  readonly code = 'tool_failed';
}

/**
 * What a script gets of the result of an MCP tool: its structured content, else its text, parsed where it is a JSON object
 * or list, else its blocks.
 *
 * @throws {ToolFailure} what the tool says went wrong
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
