// Servers of git: git itself behind HTTP, and what lies between.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { git, gitEnv, newFolder } from '../changes/apps.ts';

/** A bare repository, beside whose folder nothing else is. */
export function newBare(): string {
  const folder = join(newFolder(), 'shop.git');
  git('/', 'init', '-q', '--bare', '-b', 'main', folder);
  git(folder, 'config', 'http.receivepack', 'true');
  return folder;
}

/** A server that answers as it likes. @returns its address, without a slash at the end */
export async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers by `git http-backend`, the program that servers run. */
export function backend(bare: string): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://localhost');
    const child = spawn('git', ['http-backend'], {
      env: {
        ...gitEnv,
        GIT_PROJECT_ROOT: dirname(bare),
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'],
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
        HTTP_GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
        REMOTE_USER: 'person',
      },
    });
    child.stdin.on('error', () => {});
    request.pipe(child.stdin);
    let head = '';
    const begin = (text: Buffer): void => {
      head += text.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      child.stdout.off('data', begin);
      for (const line of head.slice(0, end).split('\r\n')) {
        const [name = '', value = ''] = line.split(/: ?(.*)/);
        if (name === 'Status') response.statusCode = Number(value.slice(0, 3));
        else response.setHeader(name, value);
      }
      response.write(Buffer.from(head.slice(end + 4), 'latin1'));
      child.stdout.pipe(response);
    };
    child.stdout.on('data', begin);
    response.on('close', () => child.kill('SIGKILL'));
  };
}

/** A program for the PATH, or for a hook. */
export function program(path: string, script: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}
