import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { invalidRequest, parse, SandboxError } from '@mustard-sandbox/protocol';
import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import { placeOf, type ObjectName, type ObjectStore, type Signable } from './store.ts';

const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const prefixPattern = /^\w[\w.-]*(?:\/\w[\w.-]*)*$/;

const s3OptionsSchema = z.strictObject({
  bucket: z.string().check(z.regex(bucketPattern, 'is not a valid name for a bucket')),
  /** The prefix of the names of all objects. */
  prefix: z.optional(
    z.string().check(z.regex(prefixPattern, 'must be letters, digits, `_`, `.`, `-`, with `/` between')),
  ),
  region: z._default(z.string().check(z.regex(/^[\w-]{1,64}$/)), 'us-east-1'),
  /** The endpoint of a store that is not Amazon's, such as `https://minio.internal:9000`. */
  endpoint: z.optional(z.string().check(z.refine(isOrigin, 'must be https://HOST or http://HOST, without a path'))),
  /** How long a transfer may stand still before it fails, in ms. */
  stallMs: z._default(z.int().check(z.gte(1), z.lte(2 ** 31 - 1)), 30_000),
});

/** Options of `s3Store`. Unknown keys are refused. */
export type S3Options = z.input<typeof s3OptionsSchema>;

/** Amazon accepts no longer time for a signature. */
const longestPassMs = 7 * 24 * 60 * 60 * 1_000;
/** An older object is put again, so that a rule of the store may remove objects by age. */
const freshForMs = 24 * 60 * 60 * 1_000;
const partBytes = 16 * 1024 * 1024;

/**
 * A store in S3, or in another store with the same protocol. Only clients need credentials, which are found in the same
 * way as by Amazon's SDK. A worker gets each object by a signature that is sealed in its job, and needs no SDK.
 *
 * @throws {SandboxError} `invalid_request` naming every wrong option
 */
export function s3Store(options: S3Options): ObjectStore {
  return new S3Store(parse(s3OptionsSchema, options, 's3Store()'));
}

/** The store of `s3://BUCKET/PREFIX?region=REGION&endpoint=URL`. @throws {SandboxError} `invalid_request` */
export function s3StoreOf(url: string): ObjectStore {
  const { hostname: bucket, pathname, searchParams, username, password, port } = new URL(url);
  if (username + password + port !== '') {
    throw invalidRequest('files', 's3://BUCKET has no user and no port. Credentials come from the environment');
  }
  const prefix = pathname.replace(/^\/|\/$/g, '');
  return s3Store({ bucket, ...(prefix !== '' && { prefix }), ...Object.fromEntries(searchParams) });
}

class S3Store implements ObjectStore {
  readonly #options: z.output<typeof s3OptionsSchema>;
  #client: Promise<S3Client> | undefined;

  constructor(options: z.output<typeof s3OptionsSchema>) {
    this.#options = options;
  }

  async has(name: ObjectName): Promise<boolean> {
    const { HeadObjectCommand } = await sdk();
    try {
      const head = await (await this.#opened()).send(new HeadObjectCommand(this.#input(name)));
      const age = Date.now() - (head.LastModified?.getTime() ?? 0);
      return head.ContentLength === name.size && age < freshForMs;
    } catch (error) {
      if ((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 404) return false;
      throw error;
    }
  }

  async put(name: ObjectName, content: Readable, pass?: string): Promise<void> {
    if (pass !== undefined) {
      const sent = await exchange(this.#addressOf(name, pass), { ...this.#patience, size: name.size, send: content });
      sent.resume();
      return;
    }
    const [{ Upload }, client] = await Promise.all([optional('@aws-sdk/lib-storage'), this.#opened()]);
    const upload = new Upload({
      client,
      params: { ...this.#input(name), Body: content },
      partSize: partBytes,
      queueSize: 2,
    });
    let cause: unknown;
    content.once('error', (error) => (cause = error));
    await upload.done().catch((error: unknown) => {
      // The failure to remove the parts is not the error to report.
      throw cause ?? error;
    });
  }

  async get(name: ObjectName, pass?: string): Promise<Readable> {
    const signed = pass ?? (await this.sign(name, 'get', this.#options.stallMs));
    return await exchange(this.#addressOf(name, signed), { ...this.#patience, size: name.size });
  }

  async remove(name: ObjectName): Promise<void> {
    const { DeleteObjectCommand } = await sdk();
    await (await this.#opened()).send(new DeleteObjectCommand(this.#input(name)));
  }

  /**
   * @returns the query of an address. The worker makes the address itself, so a job cannot say where a worker connects
   * to
   */
  async sign(name: Signable, may: 'get' | 'put', forMs: number): Promise<string> {
    const [{ GetObjectCommand, PutObjectCommand }, { getSignedUrl }, client] = await Promise.all([
      sdk(),
      optional('@aws-sdk/s3-request-presigner'),
      this.#opened(),
    ]);
    const input = this.#input(name);
    const command = may === 'get' ? new GetObjectCommand(input) : new PutObjectCommand(input);
    const expiresIn = Math.ceil(Math.min(forMs, longestPassMs) / 1000);
    const signed = new URL(await getSignedUrl(client, command, { expiresIn }));
    return signed.search;
  }

  get #patience(): { stallMs: number } {
    return { stallMs: this.#options.stallMs };
  }

  #input(name: Signable): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.#options;
    return { Bucket: bucket, Key: prefix === undefined ? placeOf(name) : `${prefix}/${placeOf(name)}` };
  }

  #addressOf(name: ObjectName, query: string): URL {
    const { bucket, region, endpoint } = this.#options;
    const { Key } = this.#input(name);
    const amazon = `https://s3.${region}.amazonaws.com`;
    return new URL(`${endpoint?.replace(/\/$/, '') ?? amazon}/${bucket}/${Key}${query}`);
  }

  #opened(): Promise<S3Client> {
    const { region, endpoint, stallMs } = this.#options;
    return (this.#client ??= sdk().then(
      ({ S3Client }) =>
        new S3Client({
          region,
          ...(endpoint !== undefined && { endpoint }),
          requestHandler: { connectionTimeout: stallMs, socketTimeout: stallMs },
          // This gives every store one form of address, which a worker can make by itself.
          forcePathStyle: true,
          // Both ends compare SHA-256. Not every store knows the checksums that the SDK would add.
          requestChecksumCalculation: 'WHEN_REQUIRED',
          responseChecksumValidation: 'WHEN_REQUIRED',
        }),
    ));
  }
}

function isOrigin(text: string): boolean {
  return /^https?:\/\/[^/?#@\s]+\/?$/.test(text) && URL.canParse(text);
}

const sdk = (): Promise<typeof import('@aws-sdk/client-s3')> => optional('@aws-sdk/client-s3');

interface Optional {
  '@aws-sdk/client-s3': typeof import('@aws-sdk/client-s3');
  '@aws-sdk/lib-storage': typeof import('@aws-sdk/lib-storage');
  '@aws-sdk/s3-request-presigner': typeof import('@aws-sdk/s3-request-presigner');
}

async function optional<Name extends keyof Optional>(name: Name): Promise<Optional[Name]> {
  try {
    return (await import(name)) as Optional[Name];
  } catch (cause) {
    throw new SandboxError('invalid_request', `A store in S3 needs the package ${name}. Install it beside this one.`, {
      cause,
    });
  }
}
