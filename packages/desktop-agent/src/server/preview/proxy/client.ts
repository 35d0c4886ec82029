// The script in each page of an app: it tells the agent's page what the console says, and which element a person picks.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Beside the addresses of the app. */
export const clientPath = '/__mustard_preview__.js';

const file = fileURLToPath(new URL('../../../in-preview/client.js', import.meta.url));
let source: string | undefined;

/** @param framers the origins of the agent's page, to which alone it speaks */
export function clientScript(framers: readonly string[]): string {
  source ??= readFileSync(file, 'utf8').trim();
  return source.replace('{{framers}}', framers.join(' '));
}
