import { oneLine } from '@mustard-sandbox/protocol';
import type { Entry } from './entry.ts';
import { comment, typeOf } from './schema/declare.ts';

const charactersOfToken = 4;
const mostFound = 20;
const shortDescription = 200;

/** The functions of scripts, as a model sees them. */
export class Catalog {
  /** Whether the description has all types. If not, scripts look tools up. */
  readonly isWhole: boolean;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #text: string;

  /** @param tokens how long the types may be */
  constructor(entries: readonly Entry[], tokens: number) {
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
    const most = tokens * charactersOfToken;
    const whole = declarationsOf(entries, most);
    this.isWhole = whole !== undefined;
    this.#text = whole ?? namesOf(entries, most);
  }

  /** The part of the description of `run_script` that lists the tools. */
  get text(): string {
    return this.#text;
  }

  /** The declaration of one tool, with its whole description. @throws {RangeError} when there is no such tool */
  describe(name: string): string {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new RangeError(`There is no tool ${oneLine(name, 200)}. Use search_tools(query).`);
    return declarationOf(entry, 4_000);
  }

  /** The declaration of one tool, with little of its description; `undefined` when there is no such tool. */
  signature(name: string): string | undefined {
    const entry = this.#entries.get(name);
    return entry && declarationOf(entry, shortDescription);
  }

  /** The tools that have the words of a query in their names and descriptions, the best first. */
  search(query: string): { name: string; description: string }[] {
    const words = query.toLowerCase().split(/\W+/).filter(Boolean).slice(0, 20);
    const scored = [...this.#entries.values()].map((entry) => ({ entry, score: scoreOf(entry, words) }));
    return scored
      .filter(({ score }) => score > 0)
      .toSorted((one, two) => two.score - one.score)
      .slice(0, mostFound)
      .map(({ entry: { name, description } }) => ({ name, description: oneLine(description, shortDescription) }));
  }
}

function scoreOf({ name, description }: Entry, words: readonly string[]): number {
  const [inName, inText] = [name.toLowerCase(), description.toLowerCase()];
  return words.reduce((sum, word) => sum + (inName.includes(word) ? 3 : 0) + (inText.includes(word) ? 1 : 0), 0);
}

/** All tools as TypeScript; `undefined` when that is longer than `most`. */
function declarationsOf(entries: readonly Entry[], most: number): string | undefined {
  let length = 0;
  const spaces = new Map<string, string[]>();
  for (const entry of entries) {
    const declaration = `  ${declarationOf(entry, shortDescription)}`;
    length += declaration.length;
    if (length > most) return undefined;
    const { space } = partsOf(entry);
    spaces.set(space, [...(spaces.get(space) ?? []), declaration]);
  }
  return [...spaces].map(([space, all]) => `declare namespace ${space} {\n${all.join('\n')}\n}`).join('\n');
}

function declarationOf(entry: Entry, mostDescription: number): string {
  const { name } = partsOf(entry);
  const input = entry.input === undefined ? 'unknown' : typeOf(entry.input);
  const output = entry.output === undefined ? 'any' : typeOf(entry.output);
  const mark = isOptional(entry.input) ? '?' : '';
  return `${comment(entry.description, mostDescription)}function ${name}(input${mark}: ${input}): Promise<${output}>;`;
}

function isOptional(schema: unknown): boolean {
  const { required } = (schema ?? {}) as { required?: unknown };
  return !Array.isArray(required) || required.length === 0;
}

/** The names by their servers, as many as fit. */
function namesOf(entries: readonly Entry[], most: number): string {
  const spaces = new Map<string, string[]>();
  for (const entry of entries) {
    const { space, name } = partsOf(entry);
    spaces.set(space, [...(spaces.get(space) ?? []), name]);
  }
  const each = Math.floor(most / spaces.size);
  return [...spaces].map(([space, names]) => `${space}: ${shortened(names, each)}`).join('\n');
}

function shortened(names: readonly string[], most: number): string {
  let length = 0;
  const fit = names.findIndex((name) => (length += name.length + 2) > most);
  if (fit === -1) return names.join(', ');
  return [...names.slice(0, fit), `and ${names.length - fit} more, which search_tools finds`].join(', ');
}

function partsOf({ name }: Entry): { space: string; name: string } {
  const dot = name.indexOf('.');
  return { space: name.slice(0, dot), name: name.slice(dot + 1) };
}
