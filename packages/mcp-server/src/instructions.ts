import { engineSupport } from '@mustard-sandbox/client';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import { availableFrom } from '@mustard-sandbox/agent-tool/host';
import type { McpOptions } from './options.ts';
import type { Workspaces } from './workspace.ts';

/** A client puts the instructions into every prompt. */
const maxNames = 20;

const summary = `execute_sandbox_script runs a small read-only script over files that are too big to read, and answers with what it computes: counts, searches, slices.`;

/** Why no script can run, for a person; `undefined` when scripts can. */
export function whyDisabled(consent: McpOptions['consent']): string | undefined {
  if (consent === 'never') return 'Scripts are turned off: the server was started with --consent never.';
  const support = engineSupport();
  return support.available ? undefined : `Scripts cannot run here. ${support.reason}`;
}

/** What the server is for, and which attachments there are at its start, if it has a folder of its own by then. */
export async function describeServer(options: McpOptions, workspaces: Workspaces): Promise<string> {
  const why = whyDisabled(options.consent);
  return [why ?? summary, await describeAttachments(options, workspaces)].filter((part) => part !== '').join('\n');
}

async function describeAttachments({ root, attachments }: McpOptions, workspaces: Workspaces): Promise<string> {
  if (root === undefined && attachments.length === 0) return '';
  const { files } = await workspaces.at(root);
  const { attachments: found } = await availableFrom(files);
  if (found.length === 0) return '';
  const names = found.slice(0, maxNames).map(({ name, size }) => `attachments:${name} (${formatBytes(size)})`);
  if (found.length > names.length) names.push(`${found.length - names.length} more`);
  return `Attachments: ${names.join(', ')}.`;
}
