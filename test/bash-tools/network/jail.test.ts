// The network of commands, from inside a real jail.
import { createServer as createHttpServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { Workspace } from '@mustard-sandbox/bash-tools';
import { beforeAll, describe, expect, it } from 'vitest';
import { atFileEnd } from '../../file-end.ts';
import { noJail, openWorkspaces } from '../support.ts';

const domains = ['example.com'];
/** Says something to a port by bash alone, because a machine may have no curl. */
const say = (host: string, port: number | string, text: string): string =>
  `(exec 5<>/dev/tcp/${host}/${port} && printf '${text}' >&5 && cat <&5)`;
const viaProxy = (url: string): string =>
  `: "\${http_proxy##*:}"; ${say('127.0.0.1', '${http_proxy##*:}', `GET ${url} HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n`)}`;

describe.skipIf(noJail !== undefined)('a command in a jail', () => {
  let server: Server;
  let workspace: Workspace;
  let open = 0;
  beforeAll(async () => {
    server = createHttpServer((request, response) => {
      if (request.url === '/endless') return void setInterval(() => response.write('more\n'), 20).unref();
      response.end(`there for ${request.headers.host}\n`);
    });
    server.on('connection', (socket) => {
      open++;
      socket.once('close', () => open--);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    atFileEnd(() => {
      server.closeAllConnections();
      server.close();
    });
    const all = await openWorkspaces({
      outside: {
        lookup: async (name) => (name === 'example.com' ? ['93.184.216.34'] : ['127.0.0.1']),
        connect: () => connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }),
      },
    });
    workspace = await all.open();
  });

  it('has no network by default, and no trace of a proxy', async () => {
    const { stdout, stderr, reached } = await workspace.run(
      `env | grep -i proxy; ${say('127.0.0.1', 63128, 'GET http://example.com/ HTTP/1.1\\r\\n\\r\\n')}`,
    );
    expect([stdout, reached]).toEqual(['', undefined]);
    expect(stderr).toContain('Connection refused');
  });

  it('reaches the domains that it may, with the next one that may not, and one after the other', async () => {
    const command = `${viaProxy('http://example.com/a')}; ${viaProxy('http://other.example/')}`;
    for (let round = 0; round < 2; round++) {
      const { stdout, reached } = await workspace.run(command, { domains });
      expect(stdout).toContain('there for example.com');
      expect(stdout).toContain('does not reach other.example:80: it is not on the list of domains');
      expect(reached?.hosts).toMatchObject([
        { host: 'example.com', times: 1, refused: 0 },
        { host: 'other.example', times: 1, refused: 1 },
      ]);
      expect(reached?.hosts[0]?.receivedBytes).toBeGreaterThan(20);
      expect((await workspace.run(viaProxy('http://example.com/'))).stdout).toBe('');
    }
  });

  it('reaches nothing else: this machine, other addresses, names, other protocols', async () => {
    const port = (server.address() as AddressInfo).port;
    const attacks = [
      say('127.0.0.1', port, 'GET / HTTP/1.0\\r\\n\\r\\n'),
      say('localhost', port, 'GET / HTTP/1.0\\r\\n\\r\\n'),
      say('::1', port, 'GET / HTTP/1.0\\r\\n\\r\\n'),
      ...['93.184.216.34', '169.254.169.254', '10.0.0.1', '2130706433', '0x7f000001', 'example.com'].map(
        (host) => `timeout 5 bash -c "echo > /dev/tcp/${host}/80" && echo there`,
      ),
      'timeout 5 bash -c "echo x > /dev/udp/8.8.8.8/53" && echo sent',
      `node -e "require('dgram').createSocket('udp4').send('x', 53, '8.8.8.8', (e) => process.exit(e ? 0 : console.log('there')))"`,
      `node -e "require('net').connect('/run/docker.sock').on('error', () => {}).on('connect', () => console.log('there'))"`,
      `node -e "fetch('http://93.184.216.34/').then(() => console.log('there'), () => {})"`,
      'python3 -c "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print(\'there\')"',
      'python3 -c "import socket; socket.socket(40, socket.SOCK_STREAM); print(\'there\')"',
    ];
    const { stdout, exitCode, reached } = await workspace.run(attacks.join('; '), { domains });
    expect(stdout).not.toMatch(/there|sent/);
    expect(exitCode).not.toBe(124);
    expect(reached).toEqual({ hosts: [], more: 0 });
  });

  it('has no descriptor of the host, and Node starts as ever', async () => {
    const { stdout } = await workspace.run(
      'ls /proc/self/fd | tr "\\n" " "; env | grep NODE_CHANNEL; node -e "process.on(\'SIGINT\', () => {}); console.log(process.channel)"',
      { domains },
    );
    expect(stdout).toBe('0 1 2 3 undefined');
  });

  it('two at once have each their own network', async () => {
    const slow = workspace.run(`sleep 1; ${viaProxy('http://example.com/')}`, { domains });
    const other = await workspace.run(say('127.0.0.1', 63128, 'GET http://example.com/ HTTP/1.1\\r\\n\\r\\n'));
    expect(other.stdout).not.toContain('there');
    expect((await slow).stdout).toContain('there for example.com');
  });

  it('leaves no connection behind when it is stopped', async () => {
    const controller = new AbortController();
    let said = '';
    const run = workspace.run(viaProxy('http://example.com/endless'), {
      domains,
      signal: controller.signal,
      onOutput: ({ stdout }) => {
        said = stdout;
        if (said.includes('more')) controller.abort();
      },
    });
    await expect(run).rejects.toMatchObject({ code: 'cancelled' });
    expect(said).toContain('more');
    await expect.poll(() => open).toBe(0);
  });

  it('cannot take the port of its proxy, nor change where it leads', async () => {
    const { stdout, stderr } = await workspace.run(
      `node -e "require('net').createServer().on('error', (e) => console.log(e.code)).listen(63128, '127.0.0.1')"; ${viaProxy('http://example.com/')}`,
      { domains },
    );
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^EADDRINUSE\n[^]*there for example.com/);
  });
});
