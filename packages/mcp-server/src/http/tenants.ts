import type { ServerResponse } from 'node:http';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createMcpHandler, type McpHttpHandler, type Server } from '@modelcontextprotocol/server';
import type { AgentEventListener } from '@mustard-sandbox/agent-tool';
import { Memory, Metrics, Rate, refused } from '@mustard-sandbox/remote/door';
import type { Host, Question } from '../connection.ts';
import { questionSeconds } from '../consent.ts';
import { ClientLog } from '../log.ts';
import { inSentences } from '../requests.ts';
import { ScriptTasks } from '../script-tasks.ts';
import { createServer } from '../server.ts';
import { Tickets } from '../tickets.ts';
import { Workspaces } from '../workspace.ts';
import type { HttpOptions } from './options.ts';
import { Sessions } from './sessions.ts';
import { Uploads, type Upload } from './uploads.ts';

/** Everything that belongs to one user. The token of another user cannot reach any of it. */
export interface Tenant extends AsyncDisposable {
  name: string;
  host: Host;
  sessions: Sessions;
  /** Serves clients that begin without a handshake, since 2026-07-28. */
  stateless: McpHttpHandler;
  uploads: Uploads;
  rate: Rate;
  arriving: Memory;
  metrics: Metrics;
  /** How many requests the user has now. */
  requests: number;
  /** How many of them brought a message. */
  posts: number;
}

/** How many users are known at a time. The one who came longest ago is forgotten; the files stay. */
const mostTenants = 1_000;

interface TenantsOptions {
  options: HttpOptions;
  /** Where the files of all users are, absolute. */
  store: string;
  tickets: Tickets<Upload>;
  base: () => string;
}

export class Tenants {
  readonly #options: TenantsOptions;
  /** The key is the name; the user who came longest ago is first. */
  readonly #byName = new Map<string, Promise<Tenant>>();

  constructor(options: TenantsOptions) {
    this.#options = options;
  }

  async get(name: string): Promise<Tenant> {
    const known = this.#byName.get(name);
    if (known === undefined) await this.#makeRoom();
    const opened = known ?? this.#byName.get(name) ?? this.#open(name);
    this.#byName.delete(name);
    this.#byName.set(name, opened);
    // The disk may be full now and not later.
    opened.catch(() => this.#byName.delete(name));
    return await opened;
  }

  async all(): Promise<Tenant[]> {
    const tenants = await Promise.allSettled(this.#byName.values());
    return tenants.flatMap((tenant) => (tenant.status === 'fulfilled' ? [tenant.value] : []));
  }

  async close(): Promise<void> {
    await Promise.all((await this.all()).map((tenant) => tenant[Symbol.asyncDispose]()));
  }

  async #open(name: string): Promise<Tenant> {
    const { options, store, tickets, base } = this.#options;
    const folder = join(store, name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const metrics = new Metrics();
    const log = new ClientLog(undefined, countingIn(metrics));
    const uploads = new Uploads({ user: name, tickets, base, bytes: options.storeBytes });
    const server = { ...options.server, tools: [uploads.tool()] };
    const workspaces = new Workspaces({ options: server, log, keepIn: folder });
    const questions = new Tickets<Question>(questionSeconds);
    const tasks = new ScriptTasks();
    const host: Host = { options: server, log, workspaces, questions, tasks, isLocal: false };
    const sessions = new Sessions(host, options.maxSessions);
    const stateless = createMcpHandler(() => inWords(createServer(host)), { legacy: 'reject' });
    log.connect({
      // Since 2026-07-28, messages that belong to no request are not logged.
      log: async () => {},
      resourcesChanged: async () => stateless.notify.resourcesChanged(),
    });
    return {
      ...{ name, host, sessions, stateless, uploads, metrics, requests: 0, posts: 0 },
      rate: new Rate(options.requestsPerSecond),
      arriving: new Memory(options.maxMessageBytes),
      async [Symbol.asyncDispose]() {
        await sessions.close();
        await stateless.close();
        await workspaces[Symbol.asyncDispose]();
      },
    };
  }

  async #makeRoom(): Promise<void> {
    if (this.#byName.size < mostTenants) return;
    const idle = (await this.all()).find(({ requests }) => requests === 0);
    if (idle === undefined) throw refused(503, 'Too many users are here. Try again later.');
    this.#byName.delete(idle.name);
    await idle[Symbol.asyncDispose]();
  }
}

/**
 * Counts a request until its answer is sent or the client is gone.
 *
 * @throws {SandboxError} `invalid_request` with the status 429
 */
export function countIn(
  tenant: Tenant,
  outgoing: ServerResponse,
  { maxRequests, requestsPerSecond }: HttpOptions,
): void {
  if (!tenant.rate.take()) throw refused(429, `More than ${requestsPerSecond} requests a second.`);
  if (tenant.requests >= maxRequests) {
    throw refused(429, `${maxRequests} of your requests are under way (maxRequests). Wait for some to end.`);
  }
  // It is gone already, and its end will not be reported again.
  if (outgoing.destroyed) return;
  tenant.requests++;
  outgoing.once('close', () => tenant.requests--);
}

function countingIn(metrics: Metrics): AgentEventListener {
  return (event) => {
    if (event.type === 'sandbox.script.completed') metrics.ran('ok', event.durationMs / 1_000);
    if (event.type === 'sandbox.script.failed') metrics.ran(event.code, event.durationMs / 1_000);
    if (event.type === 'sandbox.script.timeout') metrics.ran('timeout', event.durationMs / 1_000);
    if (event.type === 'sandbox.script.crashed') metrics.ran('sidecar_crashed', event.durationMs / 1_000);
    if (event.type === 'sandbox.script.denied') metrics.count('scripts_denied_total');
  };
}

/** Writes errors as sentences, as on stdio. */
function inWords(server: Server): Server {
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(inSentences(message), options);
    await connect(transport);
  };
  return server;
}
