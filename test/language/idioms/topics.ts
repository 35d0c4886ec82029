import { readdirSync, readFileSync } from 'node:fs';

/** One thing that a model writes, as a whole script. */
export interface Idiom {
  /** What stands in the file. */
  text: string;
  /** With what was given before it. */
  script: string;
}

const folder = new URL('.', import.meta.url);

/** The names of the topics: each is a file of this folder. */
export const topics = readdirSync(folder)
  .filter((name) => name.endsWith('.txt'))
  .map((name) => name.slice(0, -'.txt'.length));

/**
 * The idioms of a topic. Blocks stand between empty lines: `given` begins every script after it, each line of `each` is
 * an idiom, and so is any other block.
 */
export function idiomsOf(topic: string): Idiom[] {
  const blocks = readFileSync(new URL(`${topic}.txt`, folder), 'utf8')
    .trim()
    .split(/\n\n+/);
  const idioms: Idiom[] = [];
  let given = '';
  for (const block of blocks) {
    const [first, ...rest] = block.split('\n');
    if (first === 'given') given = `${rest.join('\n')}\n`;
    else if (first === 'each') idioms.push(...rest.map((text) => ({ text, script: given + text })));
    else idioms.push({ text: block, script: given + block });
  }
  return idioms;
}
