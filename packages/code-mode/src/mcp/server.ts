import { createHash } from 'node:crypto';
import type { Client } from '@modelcontextprotocol/client';
import { oneLine } from '@mustard-sandbox/protocol';
import { checkOf } from '../ai-tools.ts';
import type { Entry } from '../entry.ts';
import { CodeModeError } from '../errors.ts';
import { Names } from '../names.ts';
import type { ServerOptions } from '../options.ts';
import { plainSchema, type Schema } from '../schema/schema.ts';
import { valueOfResult } from './result.ts';
import { secretsOf, valueWithoutSecrets, withoutSecrets } from './secrets.ts';
import { loadClient, transportTo } from './transport.ts';

/** Only this many tools of a server's list are used. */
const mostTools = 1_000;
const mostPages = 20;
const mostDescription = 4_000;

interface ListedTool {
  name: string;
  description?: string | undefined;
  inputSchema?: unknown;
  outputSchema?: unknown;
  annotations?: { readOnlyHint?: boolean | undefined; idempotentHint?: boolean | undefined } | undefined;
}

interface Times {
  timeoutMs: number;
  connectMs: number;
}

/** One MCP server. It is started at its first use, and again after it has ended. */
export class McpServer {
  readonly namespace: string;
  readonly #options: ServerOptions;
  readonly #secrets: readonly string[];
  readonly #timeoutMs: number;
  readonly #connectMs: number;
  #connecting: Promise<Client> | undefined;
  #client: Client | undefined;

  constructor(namespace: string, options: ServerOptions, { timeoutMs, connectMs }: Times) {
    this.namespace = namespace;
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? timeoutMs;
    this.#connectMs = connectMs;
    this.#secrets = 'url' in options ? secretsOf(options.headers) : secretsOf(options.env);
  }

  /**
   * What the server offers now.
   *
   * @throws {CodeModeError} `server_failed`, `client_unavailable`
   */
  async entries(): Promise<Entry[]> {
    const listed = await this.#listed();
    const names = new Names();
    // Sorted, so that names which collide stay the same whatever the order of the server.
    const tools = listed.slice(0, mostTools).toSorted((one, two) => (one.name < two.name ? -1 : 1));
    const entries = tools.map((tool) => this.#entry(`${this.namespace}.${names.of(tool.name)}`, tool));
    const known = new Set(entries.map(({ name }) => name));
    const missing = Object.keys(this.#options.tools ?? {}).find((name) => !known.has(`${this.namespace}.${name}`));
    if (missing === undefined) return entries;
    // A budget or a stand-in without a tool would look as if it worked.
    throw new CodeModeError('invalid_request', `mcp.${this.namespace}.tools: the server has no tool '${missing}'.`);
  }

  async close(): Promise<void> {
    const connecting = this.#connecting;
    this.#connecting = undefined;
    await connecting?.then(
      (client) => client.close(),
      () => {},
    );
  }

  #entry(name: string, tool: ListedTool): Entry {
    const { annotations = {} } = tool;
    const { readOnlyHint = false, idempotentHint = false } = this.#options.trustHints === false ? {} : annotations;
    const input = plainSchema(tool.inputSchema);
    const asks = !readOnlyHint;
    const { cost, standIn } = this.#options.tools?.[name.slice(this.namespace.length + 1)] ?? {};
    return {
      name,
      description: (tool.description ?? '').slice(0, mostDescription),
      input,
      output: plainSchema(tool.outputSchema),
      asks: () => asks,
      isReadOnly: annotations.readOnlyHint === true,
      tool: {
        inputSchema: withDefault(checkOf(input ?? { type: 'object' })),
        idempotent: readOnlyHint || idempotentHint,
        timeoutMs: this.#timeoutMs,
        version: versionOf([tool.name, input, readOnlyHint, idempotentHint]),
        ...(cost !== undefined && { cost }),
        ...(standIn !== undefined && { standIn: typeof standIn === 'function' ? (standIn as StandIn) : () => standIn }),
      },
      execute: (given, { signal }) => this.#call(tool.name, given as Schema, signal),
    };
  }

  async #call(name: string, args: Schema, signal: AbortSignal): Promise<unknown> {
    try {
      const client = await this.#connected();
      const options = { signal, timeout: this.#timeoutMs + 1_000 };
      return valueWithoutSecrets(
        valueOfResult(await client.callTool({ name, arguments: args }, options)),
        this.#secrets,
      );
    } catch (error) {
      const { name: kind, message, code } = error as Error & { code?: unknown };
      const said = new Error(withoutSecrets(message, this.#secrets));
      throw Object.assign(said, { name: kind, code: typeof code === 'string' ? code : 'server_failed' });
    }
  }

  async #listed(): Promise<ListedTool[]> {
    try {
      const client = await this.#connected();
      return (await client.listTools(undefined, { signal: AbortSignal.timeout(this.#connectMs) })).tools;
    } catch (error) {
      await this.close();
      throw error instanceof CodeModeError ? error : this.#failed(error);
    }
  }

  #connected(): Promise<Client> {
    this.#connecting ??= this.#connect().then(
      (client) => (this.#client = client),
      (error: unknown) => {
        this.#connecting = undefined;
        throw error;
      },
    );
    return this.#connecting;
  }

  async #connect(): Promise<Client> {
    const { Client } = await loadClient();
    const client = new Client(
      { name: 'mustard-sandbox', version: '0.1.0' },
      // The client would check results by the schemas of the server, with no bound on the time.
      { listMaxPages: mostPages, jsonSchemaValidator: { getValidator: () => passes } },
    );
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
    client.onclose = () => this.#ended(client);
    const transport = await transportTo(this.#options);
    try {
      await client.connect(transport, { signal: AbortSignal.timeout(this.#connectMs), timeout: this.#connectMs });
    } catch (error) {
      await client.close().catch(() => {});
      throw error;
    }
    return client;
  }

  /** The next call connects again. */
  #ended(client: Client): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    this.#connecting = undefined;
  }

  #failed(cause: unknown): CodeModeError {
    const why = oneLine(withoutSecrets(cause instanceof Error ? cause.message : String(cause), this.#secrets), 500);
    return new CodeModeError('server_failed', `The MCP server '${this.namespace}' failed: ${why}`);
  }
}

type StandIn = (input: unknown) => unknown;

// oxlint-disable-next-line typescript/no-explicit-any -- the client says which type it would be
const passes = (data: unknown): any => ({ valid: true, data, errorMessage: undefined });

/** Scripts may call a tool without arguments, but servers require an object. */
function withDefault(schema: ReturnType<typeof checkOf>): ReturnType<typeof checkOf> {
  return { '~standard': { validate: (value) => schema['~standard'].validate(value === undefined ? {} : value) } };
}

function versionOf(facts: unknown): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}
