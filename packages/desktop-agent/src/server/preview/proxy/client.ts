// The script in each page of an app. It tells the agent's page what the console prints and which element a person picks.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The path of the script, which no address of the app may have. */
export const clientPath = '/__mustard_preview__.js';

const file = fileURLToPath(new URL('../../../in-preview/client.js', import.meta.url));
let source: string | undefined;

/** @param framers the origins of the agent's page; the script speaks only to them */
export function clientScript(framers: readonly string[]): string {
  source ??= readFileSync(file, 'utf8').trim();
  return source.replace('{{framers}}', framers.join(' '));
}
