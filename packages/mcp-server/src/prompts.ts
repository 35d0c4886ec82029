import { ProtocolError, ProtocolErrorCode, type GetPromptResult, type Prompt } from '@modelcontextprotocol/server';
import type { Recipe } from './recipe.ts';
import { invalidParams } from './resource-uri.ts';

/** The recipes in the form in which a client lists them. */
export function listPrompts(recipes: readonly Recipe[]): Prompt[] {
  return recipes.map(({ name, description, inputs }) => ({
    name,
    title: titleOf(name),
    description,
    arguments: inputs.map((input) => ({
      name: input.name,
      description: describeInput(input),
      required: input.required,
    })),
  }));
}

/**
 * A recipe with its inputs, for the model to run.
 *
 * @throws {ProtocolError} invalid params: an unknown recipe, a missing input, or an input of the wrong type
 */
export function getPrompt(
  recipes: readonly Recipe[],
  name: string,
  args: Record<string, string> = {},
): GetPromptResult {
  const { description, inputs, script } = recipeOf(recipes, name);
  const known = inputs.map((input) => input.name);
  const unknown = Object.keys(args).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw invalidParams(`${name} has no input ${JSON.stringify(unknown)}, only ${known.join(', ')}.`);
  const given = inputs.flatMap((input) => {
    const text = args[input.name];
    if (text !== undefined && text !== '') return [[input.name, valueOf(text, input)] as const];
    if (input.required) throw invalidParams(`${name} needs the input ${input.name}: ${input.description}.`);
    return [];
  });
  const values = JSON.stringify(Object.fromEntries(given));
  const whole = given.length === 0 ? script : `Object.assign(globalThis, ${values});\n${script}`;
  const text = `Run this script with execute_sandbox_script, unchanged, and tell me what it finds.\n\n\`\`\`js\n${whole.trimEnd()}\n\`\`\``;
  return { description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}

/** @throws {ProtocolError} invalid params */
export function recipeOf(recipes: readonly Recipe[], name: string): Recipe {
  const recipe = recipes.find((candidate) => candidate.name === name);
  if (recipe !== undefined) return recipe;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${JSON.stringify(name)}.`);
}

function titleOf(name: string): string {
  const words = name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function describeInput({ description, type, default: fallback }: Recipe['inputs'][number]): string {
  const facts = [
    ...(type === 'string' ? [] : [type]),
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
  ];
  return facts.length === 0 ? description : `${description} (${facts.join(', ')})`;
}

/** The arguments of a prompt are texts, while those of a recipe have types. */
function valueOf(text: string, { name, type }: Recipe['inputs'][number]): unknown {
  if (type === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    if (type === 'any') return text;
    throw invalidParams(`${name} must be ${type} as JSON, and ${JSON.stringify(text)} is not.`);
  }
}
