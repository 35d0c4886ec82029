/** A kind of line: its words, with `<*>` where lines of this kind differ. */
export interface Template {
  template: string;
  count: number;
  /** The first line of this kind. */
  example: string;
}

interface Group {
  words: string[];
  count: number;
  example: string;
}

const wild = '<*>';
/**
 * A word like this does not stand for itself, because times, numbers, ids, addresses and paths differ from line to
 * line.
 */
const varies = /\d|^[0-9a-f]{8,}$|^\/|^https?:|@/i;
/** This many words tell lines apart. Everything after them is one place that differs. */
const maxWords = 30;
const maxWordLength = 60;
const maxGroups = 2_000;
const maxSimilar = 50;
/** The share of words that two lines of one template must have in common, not counting words that vary anyway. */
const similarity = 0.5;

/**
 * Finds the templates of lines in the manner of Drain (He et al., 2017). It compares lines that have the same number of
 * words and begin with the same word. If most words are equal, the others become places that differ. Memory is bounded.
 */
export class Templates {
  /** The key is the number of words and the first word that stands for itself. */
  readonly #leaves = new Map<string, Group[]>();
  #groups = 0;
  /** How many lines have no template, because there were too many templates. */
  rest = 0;

  push(line: string): void {
    const words = wordsOf(line);
    const key = `${words.length} ${words.find((word) => word !== wild) ?? ''}`;
    const leaf = this.#leaves.get(key) ?? [];
    const known = leaf.find((group) => isSimilar(group.words, words));
    if (known !== undefined) {
      known.count++;
      known.words.forEach((word, at) => {
        if (word !== words[at]) known.words[at] = wild;
      });
      return;
    }
    if (this.#groups >= maxGroups || leaf.length >= maxSimilar) {
      this.rest++;
      return;
    }
    this.#groups++;
    leaf.push({ words, count: 1, example: line });
    this.#leaves.set(key, leaf);
  }

  /** The most frequent templates, and how many there are in all. */
  top(most: number): { templates: Template[]; kinds: number } {
    const merged = new Map<string, Template>();
    for (const { words, count, example } of [...this.#leaves.values()].flat()) {
      const template = words.join(' ').replaceAll(/(?:<\*> )+<\*>/g, '<*>');
      const same = merged.get(template);
      if (same === undefined) merged.set(template, { template, count, example: example.slice(0, 200) });
      else same.count += count;
    }
    const all = [...merged.values()].sort((one, other) => other.count - one.count);
    return { templates: all.slice(0, most), kinds: all.length };
  }
}

function wordsOf(line: string): string[] {
  // A line of a million words is cut before it is split.
  const words = line
    .slice(0, maxWords * maxWordLength)
    .trim()
    .split(/\s+/, maxWords + 1);
  if (words.length > maxWords) words.splice(maxWords - 1, words.length, wild);
  return words.map((word) => (varies.test(word) || word.length > maxWordLength ? masked(word) : word));
}

/** `user=17` stays a word with a place in it, because its name says what differs. */
function masked(word: string): string {
  const name = /^([A-Za-z_.-]{1,30})[=:]/.exec(word)?.[0];
  return name === undefined || name === 'http:' || name === 'https:' ? wild : `${name}${wild}`;
}

function isSimilar(one: readonly string[], other: readonly string[]): boolean {
  let same = 0;
  let fixed = 0;
  for (let at = 0; at < one.length; at++) {
    if (one[at] === wild && other[at] === wild) continue;
    fixed++;
    if (one[at] === other[at]) same++;
  }
  return fixed === 0 || same / fixed >= similarity;
}
