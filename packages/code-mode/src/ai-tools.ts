import type { InputSchema } from '@mustard-sandbox/runs';
import type { Entry } from './entry.ts';
import { CodeModeError } from './errors.ts';
import { issuesOf } from './schema/check.ts';
import { isObject } from './schema/schema.ts';

/** A schema of the AI SDK: zod or another Standard Schema, `jsonSchema()`, or a function that returns one. */
export type AiSchema = object | (() => unknown);

interface AiToolOptions {
  toolCallId: string;
  messages: never[];
  abortSignal?: AbortSignal;
}

/** The parts of a tool of the AI SDK that are used. Each tool has its own types of input and output. */
export interface AiTool {
  description?: string | undefined;
  type?: string | undefined;
  inputSchema: AiSchema;
  outputSchema?: AiSchema | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- TypeScript does not know the schema here
  needsApproval?: boolean | ((input: any, options: any) => boolean | PromiseLike<boolean>) | undefined;
  /** What a call costs, in a unit of the host, for `budgets`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- TypeScript does not know the schema here
  cost?: number | ((input: any) => number) | undefined;
  /** For a tool that writes: what a script gets with `writes: 'propose'` before the call is made. */
  // oxlint-disable-next-line typescript/no-explicit-any -- TypeScript does not know the schema here
  standIn?: ((input: any) => unknown) | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- TypeScript does not know the schema here
  execute?: ((input: any, options: any) => unknown) | undefined;
}

/** A schema of the AI SDK in two parts: its JSON Schema, and the function that checks. */
interface Read {
  json: unknown;
  check: InputSchema | undefined;
}

/**
 * The entry of a tool of the AI SDK.
 *
 * @throws {CodeModeError} `invalid_request` for a tool that its provider runs
 */
export async function entryOfAiTool(name: string, tool: AiTool, timeoutMs: number): Promise<Entry> {
  if (tool.type === 'provider') throw new CodeModeError('invalid_request', `tools.${name} is run by its provider.`);
  const input = await readSchema(tool.inputSchema);
  const { needsApproval = false, execute, description = '', cost, standIn } = tool;
  const options = (toolCallId: string): AiToolOptions => ({ toolCallId, messages: [] });
  return {
    name,
    description,
    input: input.json,
    output: tool.outputSchema === undefined ? undefined : (await readSchema(tool.outputSchema)).json,
    asks: async (given, run) =>
      typeof needsApproval === 'boolean' ? needsApproval : await needsApproval(given, options(run)),
    tool: {
      timeoutMs,
      ...(input.check !== undefined && { inputSchema: input.check }),
      ...(cost !== undefined && { cost }),
      ...(standIn !== undefined && { standIn }),
    },
    execute:
      execute &&
      ((given, { key, signal }) => lastOf(execute.call(tool, given, { ...options(key), abortSignal: signal }))),
  };
}

async function readSchema(given: unknown): Promise<Read> {
  const schema: unknown = typeof given === 'function' && !('~standard' in given) ? (given as () => unknown)() : given;
  if (schema === null || (typeof schema !== 'object' && typeof schema !== 'function')) {
    throw new CodeModeError('invalid_request', 'A tool has no inputSchema.');
  }
  if ('~standard' in schema) {
    const json = standardJson(schema);
    const isOptional = isObject(json) && json['type'] === 'object' && !('required' in json);
    return { json, check: isOptional ? withEmpty(schema as InputSchema) : (schema as InputSchema) };
  }
  if (!('jsonSchema' in schema))
    throw new CodeModeError('invalid_request', 'The inputSchema of a tool is not a schema.');
  const json = await schema.jsonSchema;
  const { validate } = schema as { validate?: (value: unknown) => unknown };
  return { json, check: checkOf(json, validate) };
}

/** Checks a value by a JSON Schema. */
export function checkOf(json: unknown, validate?: (value: unknown) => unknown): InputSchema {
  return {
    '~standard': {
      validate: async (value) => {
        const issues = issuesOf(json, value);
        if (issues.length > 0) return { issues };
        if (validate === undefined) return { value };
        const result = (await validate(value)) as { success: boolean; value?: unknown; error?: Error };
        return result.success
          ? { value: result.value }
          : { issues: [{ message: result.error?.message ?? 'is wrong' }] };
      },
    },
  };
}

/** An object without required fields may be left out, as its declaration says. */
function withEmpty(schema: InputSchema): InputSchema {
  return {
    '~standard': {
      validate: async (value) => {
        const result = await schema['~standard'].validate(value);
        const isLeftOut = value === undefined && result.issues !== undefined;
        return isLeftOut ? await schema['~standard'].validate({}) : result;
      },
    },
  };
}

/** The JSON Schema of a Standard Schema's input, if the library can make it: zod can from 4.2 on. */
function standardJson(schema: object): unknown {
  const { jsonSchema } = (schema as { '~standard': { jsonSchema?: { input(options: object): unknown } } })['~standard'];
  try {
    return jsonSchema?.input({ target: 'draft-2020-12' });
  } catch {
    // The schema may have a transform, for which there is no JSON Schema.
    return undefined;
  }
}

/** The last output of a tool that gives its output in steps. */
async function lastOf(given: unknown): Promise<unknown> {
  const value = await given;
  if (!isObject(value) || !(Symbol.asyncIterator in value)) return value;
  let last: unknown;
  for await (const each of value as unknown as AsyncIterable<unknown>) last = each;
  return last;
}
