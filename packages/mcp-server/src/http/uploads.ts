import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { AttachmentError, formatBytes } from '@mustard-sandbox/agent-tool';
import { refused } from '@mustard-sandbox/remote/door';
import * as z from 'zod';
import type { McpTool } from '../extra-tool.ts';
import type { Files } from '../files.ts';
import type { Tickets } from '../tickets.ts';

/** What an address allows. */
export interface Upload {
  user: string;
  name: string;
}

/** How many uploads one user may have at a time. Each takes a file descriptor. */
const mostAtOnce = 16;
/** How long a client that sends slowly may hold its connection, in ms. */
const longestMs = 60 * 60_000;

const inputSchema = z.strictObject({
  name: z.string().min(1).max(255).describe('What scripts call it, such as server.log.'),
});

const outputSchema = z.strictObject({
  url: z.string().describe('Takes one PUT request with the bytes of the file as its body.'),
  expiresInSeconds: z.number(),
  command: z.string().describe('Uploads the file named FILE from a shell.'),
});

/** The files that one user uploads. */
export class Uploads {
  readonly #options: UploadsOptions;
  #underWay = 0;

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  /** The tool that gives an address for an upload. */
  tool(): McpTool {
    return {
      name: 'upload_file',
      title: 'Get an address to upload a file to',
      description:
        'Gives an address that takes one file of the user, for scripts to read as attachments:NAME. Upload with PUT, such as by the command in the answer, or give the address to the user. It is good once, and for a few minutes.',
      inputSchema: z.toJSONSchema(inputSchema),
      outputSchema: z.toJSONSchema(outputSchema),
      readOnly: false,
      isDestructive: false,
      call: async (args) => {
        const parsed = inputSchema.safeParse(args);
        if (!parsed.success) return { text: z.prettifyError(parsed.error), structured: {}, isError: true };
        const { user, tickets, base } = this.#options;
        const url = `${base()}/files/${await tickets.issue({ user, name: parsed.data.name })}`;
        const structured = { url, expiresInSeconds: tickets.seconds, command: `curl -T FILE '${url}'` };
        return { text: JSON.stringify(structured), structured, isError: false };
      },
    };
  }

  /**
   * Takes a file in. The oldest files of the user give way to it.
   *
   * @throws {SandboxError} `invalid_request` with the status 400, 413, 429 or 507; nothing of the file is kept
   */
  async take({ name }: Upload, incoming: IncomingMessage, files: Files): Promise<Response> {
    const { store } = files;
    if (store === undefined) throw refused(507, 'The server cannot keep files now.');
    if (this.#underWay >= mostAtOnce) {
      throw refused(429, `${mostAtOnce} of your uploads are under way. Wait for some to end.`);
    }
    const bounded = this.#bounded(incoming);
    this.#underWay++;
    try {
      const signal = AbortSignal.timeout(longestMs);
      const stored = await store.store(bounded.source, name, undefined, { signal });
      await this.#makeRoom(files, stored.name);
      const { size, mediaType } = stored;
      const reference = `attachments:${stored.name}`;
      return Response.json({ name: stored.name, reference, size, mediaType }, { status: 201 });
    } catch (error) {
      if (bounded.isOver()) throw this.#tooLong();
      throw error instanceof AttachmentError && error.code === 'disk_full'
        ? refused(507, "The server's disk is full. Nothing was kept.")
        : error;
    } finally {
      this.#underWay--;
    }
  }

  /** The body as a source. It ends with an error when it is longer than all files of a user may be. */
  #bounded(incoming: IncomingMessage): { source: Readable; isOver: () => boolean } {
    const { bytes: most } = this.#options;
    if (Number(incoming.headers['content-length'] ?? 0) > most) throw this.#tooLong();
    let length = 0;
    const parts = async function* (): AsyncGenerator<Buffer> {
      for await (const part of incoming as AsyncIterable<Buffer>) {
        length += part.length;
        if (length > most) throw new Error('too long');
        yield part;
      }
    };
    return { source: Readable.from(parts(), { objectMode: false }), isOver: () => length > most };
  }

  #tooLong(): Error {
    return refused(413, `The file is over ${formatBytes(this.#options.bytes)}, which is the most of one user.`);
  }

  async #makeRoom({ store }: Files, newest: string): Promise<void> {
    const listed = (await store?.list()) ?? [];
    let bytes = listed.reduce((sum, { size }) => sum + size, 0);
    for (const { name, size } of listed) {
      if (bytes <= this.#options.bytes) return;
      if (name === newest) continue;
      await store?.remove(name);
      bytes -= size;
    }
  }
}

interface UploadsOptions {
  user: string;
  tickets: Tickets<Upload>;
  /** The address of this server for clients, without a slash at its end. */
  base: () => string;
  /** How many bytes the files of the user may take. */
  bytes: number;
}
