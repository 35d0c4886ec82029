import { createInterface, type Interface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { formatBytes } from '../sizes.ts';
import { throwIfCancelled } from './content.ts';
import { formatSizeSummary, type SizeAnswer, type SizePrompt } from './size-summary.ts';

const answers: Record<string, SizeAnswer> = {
  y: 'attach',
  yes: 'attach',
  t: 'truncate',
  truncate: 'truncate',
  n: 'cancel',
  no: 'cancel',
};

// oxlint-disable-next-line typescript/no-explicit-any -- a listener of Node takes anything
type Listener = (...args: any[]) => void;

/** The part of a stream of Node that a prompt needs. It is declared here, because a page has no types of Node. */
interface Terminal {
  on(event: string, listener: Listener): unknown;
}

/**
 * A prompt that shows the sizes and takes `y`, `t` or `n`; `?` explains them. The end of the input and Ctrl-C cancel.
 * After any other input it asks again.
 *
 * @param streams by default stdin and stderr, because another program may read stdout
 */
export function createTerminalSizePrompt(
  streams: { input?: Terminal & { resume(): unknown }; output?: Terminal & { write(text: string): unknown } } = {},
): SizePrompt {
  const input = (streams.input ?? process.stdin) as Readable;
  const output = (streams.output ?? process.stderr) as Writable;
  return async (summary, { signal }) => {
    throwIfCancelled(signal);
    const lines = createInterface({
      input,
      output,
      prompt: 'Attach large content? [y,t,n,?]? ',
      ...(signal && { signal }),
    });
    lines.on('SIGINT', () => lines.close());
    try {
      output.write(`${formatSizeSummary(summary)}\n\n`);
      return await firstAnswer(lines, output, helpText(summary.truncateToBytes));
    } finally {
      lines.close();
      throwIfCancelled(signal);
    }
  };
}

/** It iterates over lines, because in Node 20 `question()` never settles when the input ends. */
async function firstAnswer(lines: Interface, output: Writable, help: string): Promise<SizeAnswer> {
  lines.prompt();
  for await (const line of lines) {
    const text = line.trim().toLowerCase();
    if (Object.hasOwn(answers, text)) return answers[text] as SizeAnswer;
    output.write(text === '?' ? help : 'Please answer y, t, n or ?.\n');
    lines.prompt();
  }
  // Nobody has typed the end of the line.
  output.write('\n');
  return 'cancel';
}

function helpText(truncateToBytes: number): string {
  return `  y  attach everything as it is
  t  cut each text attachment to ${formatBytes(truncateToBytes)}, and attach the others as they are
  n  attach nothing and cancel
  ?  show this
`;
}
