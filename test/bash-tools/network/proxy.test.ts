// The proxy of commands, attacked without a jail: whoever talks to it is a hostile command.
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect, it, onTestFinished, test, vi } from 'vitest';
import { CommandProxy, type ProxyOptions } from '../../../packages/bash-tools/src/network/proxy.ts';

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function listening<T extends Server>(server: T): Promise<T> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return server;
}

interface Stage {
  proxy: CommandProxy;
  port: number;
  /** What the proxy connected to. */
  dialled: string[];
  looked: string[];
  /** Sends bytes to the proxy, and returns what comes until it closes. */
  say: (text: string) => Promise<string>;
}

/** A proxy whose outside is one server on this machine, whatever address it connects to. */
async function stage(
  server: Server,
  {
    lookup = async () => ['93.184.216.34'],
    ...options
  }: Partial<ProxyOptions> & { lookup?: (name: string) => Promise<string[]> } = {},
): Promise<Stage> {
  const [dialled, looked]: [string[], string[]] = [[], []];
  const door = await listening(createServer());
  const proxy = new CommandProxy({
    domains: ['example.com', '*.wild.example', 'xn--bcher-kva.example'],
    maxBytes: 1024 * 1024,
    outside: {
      lookup: async (name) => {
        looked.push(name);
        return await lookup(name);
      },
      connect: ({ address, port }) => {
        dialled.push(`${address}:${port}`);
        return connect({ host: '127.0.0.1', port: portOf(server) });
      },
    },
    ...options,
  });
  proxy.listen(door);
  onTestFinished(() => proxy.close());
  const port = portOf(door);
  const say = async (text: string): Promise<string> => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => {});
    socket.write(text);
    let said = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (said += chunk));
    await new Promise((settle) => socket.once('close', settle));
    return said;
  };
  return { proxy, port, dialled, looked, say };
}

const web = async (answer: RequestListener): Promise<Server> => await listening(createHttpServer(answer));
const get = (url: string, headers = 'Host: example.com\r\n'): string =>
  `GET ${url} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`;

it('passes a request on to an allowed domain, with its own headers and without those of the connection', async () => {
  const server = await web((request, response) => {
    response.setHeader('x-seen', JSON.stringify(request.headers));
    response.end(`${request.method} ${request.url}`);
  });
  const { say, proxy, dialled } = await stage(server);
  const headers = 'Host: example.com\r\nProxy-Authorization: Basic x\r\nX-Own: yes\r\nX-Gone: 1\r\n';
  const answer = await say(`GET http://example.com/a?b HTTP/1.1\r\n${headers}Connection: close, x-gone\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).toContain('GET /a?b');
  expect(answer).toContain('"x-own":"yes"');
  expect(answer).not.toMatch(/proxy-authorization|x-gone/);
  expect(dialled).toEqual(['93.184.216.34:80']);
  expect(proxy.reached).toMatchObject({ hosts: [{ host: 'example.com', port: 80, times: 1, refused: 0 }], more: 0 });
});

it('the server gets the Host that was looked at, whatever the command wrote there', async () => {
  const server = await web((request, response) => response.end(`for ${request.headers.host}`));
  const { say } = await stage(server);
  for (const headers of ['Host: internal.corp\r\n', 'Host: example.com@internal\r\n']) {
    expect(await say(get('http://example.com/', headers))).toContain('for example.com');
  }
  expect(await say(get('http://example.com/', 'Host: example.com\r\nHost: internal.corp\r\n'))).not.toContain(
    'internal',
  );
});

test.each(['EXAMPLE.com', 'example.com.', 'a.b.wild.example', 'bücher.example', 'ｅxample.com'])(
  'the name %s is that of the list',
  async (host) => {
    const server = await web((_, response) => response.end('there'));
    const { say } = await stage(server);
    expect(
      await say(get(`http://${Buffer.from(host).toString('latin1') === host ? host : encodeURI(host)}/`)),
    ).toContain('there');
  },
);

test.each([
  ...['127.0.0.1', '2130706433', '0177.0.0.1', '0x7f.0.0.1', '127.1', '0', '[::1]', '[::ffff:127.0.0.1]', '8.8.8.8'],
  ...['localhost', 'localhost.', 'LOCALHOST', 'other.example', 'example.com.evil.org', 'xexample.com', 'wild.example'],
  ...['example.com@evil.org', 'example.com%00.evil.org', '%31%32%37.0.0.1', '１２７.0.0.1', 'example.com\\.evil.org'],
])('refuses the host %s, by CONNECT and by a request', async (host) => {
  const server = await web((_, response) => response.end('there'));
  const { say, dialled, looked, proxy } = await stage(server);
  const bytes = Buffer.from(host).toString('latin1');
  expect(await say(`CONNECT ${bytes}:443 HTTP/1.1\r\nHost: example.com\r\n\r\n`)).toMatch(/^HTTP\/1\.1 40[03] |^$/);
  expect(await say(get(`http://${bytes}/`))).toMatch(/^HTTP\/1\.1 40[03] |^$/);
  expect([dialled, looked]).toEqual([[], []]);
  for (const { refused, times } of proxy.reached.hosts) expect(refused).toBe(times);
});

test.each([
  ['CONNECT example.com:22', 'only port 443'],
  ['CONNECT example.com:80', 'only port 443'],
  ['CONNECT example.com:99999', 'only port 443'],
  ['CONNECT example.com', 'only port 443|no name'],
  ['GET http://example.com:8080/', 'only port 80'],
  ['GET http://example.com:443/', 'only port 80'],
  ['GET https://example.com/', 'no request for http'],
  ['GET ftp://example.com/', 'no request for http'],
  ['GET file:///etc/passwd', 'no request for http'],
  ['GET /path', 'no request for http'],
])('refuses %s', async (line, why) => {
  const { say, dialled } = await stage(await web((_, response) => response.end('there')));
  const answer = await say(`${line} HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 40[03]/);
  expect(answer).toMatch(new RegExp(why));
  expect(dialled).toEqual([]);
});

test.each([
  ['127.0.0.1'],
  ['10.0.0.1'],
  ['169.254.169.254'],
  ['100.100.100.200'],
  ['::1'],
  ['::ffff:10.0.0.1'],
  ['fd00:ec2::254'],
  ['not an address'],
])('refuses an allowed name with the address %s', async (address) => {
  const { say, dialled } = await stage(await web((_, response) => response.end('there')), {
    lookup: async () => [address],
  });
  expect(await say(get('http://example.com/'))).toContain('of this machine or of a private network');
  expect(await say('CONNECT example.com:443 HTTP/1.1\r\n\r\n')).toContain('403');
  expect(dialled).toEqual([]);
});

it('a name is resolved once a connection, and only what was looked at is connected to', async () => {
  let times = 0;
  const { say, dialled, looked } = await stage(await web((_, response) => response.end('there')), {
    // What a name server does that wants to have the check see one address and the connection use another one.
    lookup: async () => (times++ % 2 === 0 ? ['93.184.216.34', '127.0.0.1'] : ['127.0.0.1']),
  });
  expect(await say(get('http://example.com/'))).toContain('there');
  expect(await say(get('http://example.com/'))).toContain('private network');
  expect(dialled).toEqual(['93.184.216.34:80']);
  expect(looked).toHaveLength(2);
});

it('a name that is not found, and a host that is away, are told', async () => {
  const away = await listening(createServer());
  const port = portOf(away);
  away.close();
  const gone = { connect: () => connect({ host: '127.0.0.1', port }), lookup: async () => ['93.184.216.34'] };
  const { say, proxy } = await stage(away, { outside: gone });
  expect(await say(get('http://example.com/'))).toContain('it cannot be reached (ECONNREFUSED)');
  const lost = await stage(away, { lookup: async () => Promise.reject(new Error('ENOTFOUND')) });
  expect(await lost.say(get('http://example.com/'))).toContain('its name is not known');
  expect(proxy.reached.hosts).toMatchObject([{ times: 1, refused: 1, why: 'it cannot be reached (ECONNREFUSED)' }]);
});

it('follows no redirect', async () => {
  const server = await web((_, response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end());
  const { say, dialled } = await stage(server);
  expect(await say(get('http://example.com/'))).toMatch(/^HTTP\/1\.1 302 /);
  expect(dialled).toHaveLength(1);
});

it('a tunnel passes bytes on both ways, and its bytes are counted', async () => {
  const echo = await listening(createServer((socket) => socket.pipe(socket)));
  const { port, proxy } = await stage(echo);
  const socket = connect({ host: '127.0.0.1', port });
  socket.end('CONNECT example.com:443 HTTP/1.1\r\n\r\nearly');
  let said = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  await once(socket, 'close');
  expect(said).toBe('HTTP/1.1 200 Connection established\r\n\r\nearly');
  expect(proxy.reached.hosts).toMatchObject([{ host: 'example.com', port: 443, sentBytes: 5, receivedBytes: 5 }]);
});

it('a request that hides a second one is refused', async () => {
  const { say, dialled } = await stage(await web((_, response) => response.end('there')));
  const hidden = 'GET http://evil.org/ HTTP/1.1\r\n\r\n';
  const both = `Host: example.com\r\nContent-Length: ${hidden.length}\r\nTransfer-Encoding: chunked\r\n`;
  await say(`POST http://example.com/ HTTP/1.1\r\n${both}\r\n0\r\n\r\n${hidden}`);
  expect(dialled.length).toBeLessThanOrEqual(1);
  expect(await say(get('http://example.com/\tx'))).not.toContain('there');
});

it('ends everything when a command has moved more than it may', async () => {
  const endless = await listening(
    createServer((socket) => {
      socket.on('error', () => {});
      const more = (): void =>
        void (socket.writable && socket.write(Buffer.alloc(64 * 1024), () => setImmediate(more)));
      more();
    }),
  );
  const { say, proxy } = await stage(endless);
  const said = await say('CONNECT example.com:443 HTTP/1.1\r\n\r\n');
  expect(said.length).toBeLessThan(2 * 1024 * 1024);
  expect(proxy.reached.hosts[0]?.why).toContain('more than 1 MB (networkBytes)');
  expect(await say('CONNECT example.com:443 HTTP/1.1\r\n\r\n')).toContain('networkBytes');
});

it('a flood of connections is bounded, and so is one that sends its head for ever', async () => {
  const { port, say } = await stage(await web((_, response) => response.end('there')), { headMs: 500 });
  const sockets: Socket[] = [];
  let closed = 0;
  for (let count = 0; count < 400; count++) {
    const socket = connect({ host: '127.0.0.1', port }).on('error', () => {});
    socket.once('connect', () => socket.write('GET http://example.com/ HTTP/1.1\r\nX-A: '));
    socket.once('close', () => closed++);
    sockets.push(socket);
  }
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('a');
  }, 50);
  onTestFinished(() => {
    clearInterval(drip);
    for (const socket of sockets) socket.destroy();
  });
  await vi.waitFor(() => expect(closed).toBe(400), { timeout: 60_000 });
  expect(await say(get('http://example.com/'))).toContain('there');
});

it('a head of a megabyte, and bytes that are no HTTP, end the connection only', async () => {
  const { say } = await stage(await web((_, response) => response.end('there')));
  expect(await say(get('http://example.com/', `X: ${'a'.repeat(1024 * 1024)}\r\n`))).not.toContain('there');
  expect(await say('\0\x01\x02 SSH-2.0-x\r\n\r\n')).not.toContain('there');
  expect(await say('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).not.toContain('there');
  expect(await say(get('http://example.com/'))).toContain('there');
});

it('what was reached is listed up to a hundred hosts, in characters that print', async () => {
  const { say, proxy } = await stage(await web((_, response) => response.end('there')));
  for (let count = 0; count < 120; count++) await say(`CONNECT h${count}.example:443 HTTP/1.1\r\n\r\n`);
  expect(proxy.reached.hosts).toHaveLength(100);
  expect(proxy.reached.more).toBe(20);
  const other = await stage(await web((_, response) => response.end('there')));
  await other.say(`CONNECT ${'a'.repeat(5000)}\x80\xff:443 HTTP/1.1\r\n\r\n`);
  for (const { host } of other.proxy.reached.hosts) expect(host).toMatch(/^[\x21-\x7e]{1,253}$/);
});

it('closing it ends its connections on both sides', async () => {
  let isThere = false;
  const server = await listening(
    createServer((socket) => {
      isThere = true;
      socket.on('error', () => {}).once('close', () => (isThere = false));
    }),
  );
  const { say, proxy } = await stage(server);
  const said = say('CONNECT example.com:443 HTTP/1.1\r\n\r\n');
  await vi.waitFor(() => expect(isThere).toBe(true));
  proxy.close();
  expect(await said).toContain('200');
  await vi.waitFor(() => expect(isThere).toBe(false));
});
