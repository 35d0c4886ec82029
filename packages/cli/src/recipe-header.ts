/** An input of a recipe: a global variable that `--input` sets. */
interface RecipeInput {
  name: string;
  type: string;
  required: boolean;
  /** The value that the script uses by default, if that is fixed. */
  default?: unknown;
  description: string;
}

/** What a recipe says about itself. */
export interface RecipeHeader {
  /** The description, on one line. */
  description: string;
  /** Further notes. Empty for most recipes. */
  notes: string;
  inputs: RecipeInput[];
  /** A command line for a copy of the recipe that is named after it. */
  example: string;
}

const inputPattern = /^@param \{(.+?)\} (?:(\w+)|\[(\w+)(?:=(.+?))?\]) - (.+)$/;
const examplePattern = /^@example (.+)$/;

/**
 * Reads the JSDoc comment at the start of a recipe.
 *
 * @throws {Error} with the wrong line; a test reads the header of every recipe
 */
export function parseRecipeHeader(script: string): RecipeHeader {
  const comment = /^\/\*\*\n((?: \*.*\n)+?) \*\/\n/.exec(script)?.[1];
  if (comment === undefined) throw new Error('a recipe begins with a /** comment */');
  const lines = comment.split('\n').map((line) => line.replace(/^ \* ?/, ''));
  const text = lines.filter((line) => !line.startsWith('@'));
  const [description = '', ...notes] = text;
  const inputs: RecipeInput[] = [];
  let example: string | undefined;
  for (const line of lines.filter((line) => line.startsWith('@'))) {
    const [, command] = examplePattern.exec(line) ?? [];
    if (command === undefined) inputs.push(parseInput(line));
    else example = command;
  }
  if (example === undefined) throw new Error('a recipe has a line @example COMMAND');
  return { description, notes: notes.join('\n').trim(), inputs, example };
}

function parseInput(line: string): RecipeInput {
  const [, type, requiredName, optionalName, json, description] = inputPattern.exec(line) ?? [];
  const name = requiredName ?? optionalName;
  if (name === undefined || type === undefined || description === undefined) {
    throw new Error(`not @param {type} name - text, or @param {type} [name=JSON] - text: ${line}`);
  }
  const fallback = json === undefined ? {} : { default: JSON.parse(json) as unknown };
  return { name, type, required: optionalName === undefined, ...fallback, description };
}
