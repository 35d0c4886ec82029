import { builtins, installedBuiltins, limitTable, readLimitTable, type BuiltinName } from '@mustard-sandbox/client';
import { needsOutputs } from '@mustard-sandbox/protocol';
import { formatBytes } from '../sizes.ts';
import type { HostFunctions } from './host-functions.ts';
import { maxScriptBytes } from './input.ts';
import type { ToolOptions } from './options.ts';
import { maxOutputBytes } from './output.ts';
import { limitsFor, settingsInfo } from './settings.ts';

/** The facts that decide the description. */
export type ToolFacts = Pick<ToolOptions, 'appPath' | 'hostFunctions' | 'fixedSettings' | 'limits'> &
  Partial<Pick<ToolOptions, 'outputs'>>;

/**
 * What a model needs to know to write a script that works at the first try. The model pays for this text in every turn,
 * so each line must prevent a mistake. The text never changes in the life of a tool, so a prompt cache can keep it. The
 * names of attachments are in their message and not here.
 */
export function describeTool(facts: ToolFacts): string {
  return [summary, language, functionsSection(facts), limitsSection(facts), bigFiles].join('\n\n');
}

const summary = `Runs a short script over files and returns only its answer. Use it for files that are too big to read here: the script sees them, you get what it computes.`;

// Each line was tried; test/agent-tool/tool/description.test.ts tries them again.
const language = `## Language
JavaScript (ES2023; TypeScript types are ignored) in one file. The value of the last statement is the answer (what console.log prints is not); a \`return\` ends it. The answer leaves as JSON does; Maps and Sets leave as lists. Times are UTC. There are no modules (import, require), no timers, no network, no eval.`;

function functionsSection({ appPath, hostFunctions, outputs }: ToolFacts): string {
  const paths =
    appPath !== undefined
      ? 'Paths are relative to the project folder, with "/", or "attachments:<name>". Secrets such as .env files and keys, .git and node_modules are refused.'
      : 'Paths are "attachments:<name>"; there is no project folder.';
  return `## Functions
They return their value directly, so write no await, and throw an Error that you can catch (code, message). ${paths}
\`\`\`ts
${functionDeclarations(hostFunctions, outputs !== undefined)}
\`\`\``;
}

/**
 * The functions that a script can call here, as declarations of TypeScript with a description of each.
 *
 * @param saves whether the host gave a folder for outputs. Without one a script has no `save` and no `chart`
 */
export function functionDeclarations(functions: HostFunctions = {}, saves = false): string {
  const there = installedBuiltins().filter((name) => saves || !needsOutputs(name));
  return [...there.map((name) => builtins[name]), ...Object.values(functions)].map(declarationOf).join('\n');
}

/**
 * One line of the description: the summary of a built-in, or the host's text about its function and whether it asks.
 */
function declarationOf(of: (typeof builtins)[BuiltinName] | HostFunctions[string]): string {
  const { declaration } = of;
  const said =
    'summary' in of
      ? [of.summary]
      : [of.description?.trim(), ...(of.consent === 'ask' ? ['Asks the user, who may decline.'] : [])];
  const comment = said.filter((part) => part !== undefined && part !== '').join(' ');
  return comment === '' ? declaration.trim() : `/** ${comment.replaceAll('*/', '* /')} */\n${declaration.trim()}`;
}

function limitsSection({ limits: given, fixedSettings }: ToolFacts): string {
  const limits = fixedSettings === undefined ? given : limitsFor(given, fixedSettings);
  const { instructions, heapBytes } = limitTable;
  const { maxReadBytes, maxTotalReadBytes } = readLimitTable;
  const scriptBytes = Math.min(limits.scriptBytes ?? maxScriptBytes, maxScriptBytes);
  return `## Limits
- ${timeLimit(limits.timeoutMs)} and ${(limits.instructions ?? instructions.default) / 1e6} million instructions for a run
- ${formatBytes(limits.heapBytes ?? heapBytes.default)} of memory for the script's values: keep counts and slices, never a whole big file
- one read_file call reads at most ${formatBytes(maxReadBytes.default)} (${maxReadBytes.default} bytes), all of a run together ${formatBytes(maxTotalReadBytes.default)}
- the script at most ${formatBytes(scriptBytes)}; of the answer you get at most ${formatBytes(maxOutputBytes)}, and the rest as a file`;
}

function timeLimit(ms: number | undefined): string {
  if (ms !== undefined) return `${ms / 1000} seconds`;
  const { timeoutMs } = settingsInfo;
  // The user's present setting is not named, because it may change at any time, and the description must not.
  return `${Number(timeoutMs.default) / 1000} seconds, unless the user chose another time,`;
}

// The figures behind the advice are in docs/fast-scripts.md.
const bigFiles = `## Big files
What search can count or group needs no loop:
\`\`\`js
search('attachments:server.log', / ERROR (\\S+)/, { by: 1, top: 5 })
\`\`\`
Otherwise loop over lines(path). search, lines and read_lines read .gz and .zst, too.
Slow: splitting each line (use search with fields).`;
