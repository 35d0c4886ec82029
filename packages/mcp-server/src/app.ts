import { readFile } from 'node:fs/promises';
import type { ClientCapabilities, ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import type { ScriptRecord } from '@mustard-sandbox/agent-tool';

/** The name of MCP Apps among the extensions of the protocol, in the capabilities of both sides. */
export const appsExtension = 'io.modelcontextprotocol/ui';

/** The page with which a host shows a call of the tool. */
export const appUri = 'ui://mustard-sandbox/script.html';

const mediaType = 'text/html;profile=mcp-app';

/** The key under which the result of a call has its record, for the page and not for the model. */
const recordKey = 'mustard-sandbox/record';

/** Whether the client shows pages. Other clients are not told about the page. */
export function showsApps(capabilities: ClientCapabilities | undefined): boolean {
  const { mimeTypes } = (capabilities?.extensions?.[appsExtension] ?? {}) as { mimeTypes?: unknown };
  return Array.isArray(mimeTypes) && mimeTypes.includes(mediaType);
}

/** The entry of the page in a list of resources. */
export const appResource: Resource = {
  uri: appUri,
  name: 'script.html',
  title: 'The card of a script',
  description: 'Shows a call of execute_sandbox_script: output, script, numbers.',
  mimeType: mediaType,
};

/** The page, as one file that loads nothing and may connect to nothing. */
export async function readApp(): Promise<ReadResourceResult> {
  const text = await readFile(new URL('./script.html', import.meta.url), 'utf8');
  const csp = { connectDomains: [], resourceDomains: [] };
  return { contents: [{ uri: appUri, mimeType: mediaType, text, _meta: { ui: { csp, prefersBorder: false } } }] };
}

/** The part of a call's result that is for the page. */
export function recordMeta(record: ScriptRecord): { _meta: Record<string, unknown> } {
  return { _meta: { [recordKey]: record } };
}
