import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** The part of S3 that a fleet needs, of one bucket in memory. It lets in who has signed by version 4, and nobody else. */
export class S3Server {
  readonly objects = new Map<string, Buffer>();
  readonly #uploads = new Map<string, Map<number, Buffer>>();
  readonly #secret: string;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  lastModified = new Date();
  /** How many uploads in parts were begun. */
  multiparts = 0;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Where it is. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Uploads in parts that have neither ended nor been given up. */
  get open(): number {
    return this.#uploads.size;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request.on('error', () => {}) as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? '/', 'http://x');
    const refused = this.#refusal(request, url, body);
    if (refused !== undefined) {
      const text = `<?xml version="1.0"?><Error><Code>${refused}</Code><Message>${refused}</Message></Error>`;
      return void response.writeHead(403, { 'content-type': 'application/xml' }).end(text);
    }
    const { status, headers = {}, content } = this.#do(request.method ?? '', url, body);
    response.writeHead(status, { 'last-modified': this.lastModified.toUTCString(), ...headers }).end(content);
  }

  #do(
    method: string,
    url: URL,
    body: Buffer,
  ): { status: number; headers?: Record<string, string | number>; content?: Buffer | string } {
    const key = decodeURIComponent(url.pathname);
    const upload = url.searchParams.get('uploadId');
    const xml = { 'content-type': 'application/xml' };
    const etag = { etag: `"${createHash('md5').update(body).digest('hex')}"` };
    if (method === 'POST' && url.searchParams.has('uploads')) {
      const id = `upload-${++this.multiparts}`;
      this.#uploads.set(id, new Map());
      const content = `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`;
      return { status: 200, headers: xml, content };
    }
    if (upload !== null) {
      const parts = this.#uploads.get(upload);
      if (parts === undefined) return { status: 404 };
      if (method === 'PUT') {
        parts.set(Number(url.searchParams.get('partNumber')), body);
        return { status: 200, headers: etag };
      }
      this.#uploads.delete(upload);
      if (method === 'DELETE') return { status: 204 };
      const inOrder = [...parts].toSorted(([a], [b]) => a - b).map(([, part]) => part);
      this.objects.set(key, Buffer.concat(inOrder));
      return {
        status: 200,
        headers: xml,
        content: '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>',
      };
    }
    if (method === 'PUT') {
      this.objects.set(key, body);
      return { status: 200, headers: etag };
    }
    if (method === 'DELETE') return (this.objects.delete(key), { status: 204 });
    const object = this.objects.get(key);
    if (object === undefined) return { status: 404 };
    return { status: 200, headers: { 'content-length': object.length }, ...(method === 'GET' && { content: object }) };
  }

  /** Why the request is not let in: docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html. */
  #refusal(request: IncomingMessage, url: URL, body: Buffer): string | undefined {
    const { headers } = request;
    const query = [...url.searchParams].filter(([name]) => name !== 'X-Amz-Signature');
    const inQuery = url.searchParams.has('X-Amz-Signature');
    const header = /Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)/.exec(
      headers.authorization ?? '',
    );
    const from = (name: string): string => url.searchParams.get(name) ?? '';
    const [credential, signedHeaders, signature] = inQuery
      ? [from('X-Amz-Credential'), from('X-Amz-SignedHeaders'), from('X-Amz-Signature')]
      : [header?.[1] ?? '', header?.[2] ?? '', header?.[3] ?? ''];
    if (signature === '') return 'AccessDenied';
    const [, ...scope] = credential.split('/');
    const date = inQuery ? from('X-Amz-Date') : String(headers['x-amz-date']);
    const at = Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
    const forMs = inQuery ? Number(from('X-Amz-Expires')) * 1_000 : 15 * 60_000;
    if (!(Date.now() <= at + forMs)) return 'RequestTimeTooSkewed';
    const hash = inQuery ? 'UNSIGNED-PAYLOAD' : String(headers['x-amz-content-sha256']);
    if (/^[0-9a-f]{64}$/.test(hash) && hash !== createHash('sha256').update(body).digest('hex')) return 'BadDigest';
    const canonical = [
      request.method,
      url.pathname,
      query
        .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
        .toSorted()
        .join('&'),
      ...signedHeaders.split(';').map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
      '',
      signedHeaders,
      hash,
    ].join('\n');
    const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), createHash('sha256').update(canonical).digest('hex')].join(
      '\n',
    );
    const hmac = (key: string | Buffer, value: string): Buffer => createHmac('sha256', key).update(value).digest();
    const key = scope.reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${this.#secret}`);
    const right = hmac(key, text);
    const given = Buffer.from(signature, 'hex');
    return given.length === right.length && timingSafeEqual(given, right) ? undefined : 'SignatureDoesNotMatch';
  }
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
