import { createServer } from 'node:http';

/** @returns a server that answers `GET /health`; it listens when the caller says so */
export function createService() {
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const isHealth = request.method === 'GET' && pathname === '/health';
    response.writeHead(isHealth ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isHealth ? { status: 'ok' } : { error: 'not found' }));
  });
}
