import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import { functionDeclarations } from '@mustard-sandbox/agent-tool/host';

/** The functions that a script can call, for a person to read or a host to attach. */
export const functionsResource: Resource = {
  uri: 'mustard-sandbox:///functions.d.ts',
  name: 'functions.d.ts',
  title: 'What a script can call',
  description: 'The functions of execute_sandbox_script, as declarations of TypeScript.',
  mimeType: 'text/x-typescript',
};

export function readFunctions(): ReadResourceResult {
  const { uri, mimeType } = functionsResource;
  return { contents: [{ uri, mimeType: mimeType as string, text: `${functionDeclarations()}\n` }] };
}
