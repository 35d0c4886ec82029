import type { SandboxError, SavedOutput } from '@mustard-sandbox/client';
import { printable } from '@mustard-sandbox/protocol';
import { formatBytes } from '../sizes.ts';

/** How many saved files a model gets the first lines of. */
const shownHeads = 5;

/** What a model is told about the files that a script has saved. */
export function remarksOnOutputs(outputs: readonly SavedOutput[] = []): string[] {
  return outputs.map(({ name, size, head }, index) => {
    const saved = `Saved outputs:${name} (${formatBytes(size)})`;
    return index >= shownHeads || head === '' ? `${saved}.` : `${saved}. It begins:\n${printable(head)}`;
  });
}

/** The files that a script had saved before it failed. */
export function outputsBefore({ details }: SandboxError): SavedOutput[] {
  return (details['outputs'] as SavedOutput[] | undefined) ?? [];
}

/** What a record keeps of the saved files. It holds no path of the host. */
export function recordedOutputs(outputs: readonly SavedOutput[] = []): { name: string; size: number; head: string }[] {
  return outputs.map(({ name, size, head }) => ({ name, size, head }));
}
