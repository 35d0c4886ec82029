import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FleetWorker } from './worker.ts';

/**
 * Serves what operators ask a worker: `/health` says whether the process is alive, `/ready` whether it takes jobs, and
 * `/metrics` has figures for Prometheus. It says nothing about jobs, so it needs no token. Still, no stranger should
 * reach it.
 *
 * @param port 0 for any free port
 * @returns the address, and a function that ends it
 */
export async function serveOperators(
  worker: FleetWorker,
  { host, port }: { host: string; port: number },
): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const answer = answerOf(worker, request.url ?? '');
    response.writeHead(answer.status, { 'content-type': 'text/plain; version=0.0.4' }).end(answer.text);
  });
  // A request is short, so its headers must arrive soon.
  server.headersTimeout = 5_000;
  server.requestTimeout = 5_000;
  server.maxConnections = 64;
  server.listen(port, host);
  await once(server, 'listening');
  return { url: urlOf(server, host), close: () => (server.closeAllConnections(), server.close()) };
}

function urlOf(server: Server, host: string): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
}

function answerOf(worker: FleetWorker, path: string): { status: number; text: string } {
  if (path === '/health') return { status: 200, text: 'ok\n' };
  if (path === '/ready') {
    const isReady = worker.isConnected && !worker.stats().draining;
    return { status: isReady ? 200 : 503, text: isReady ? 'ready\n' : 'not ready\n' };
  }
  if (path === '/metrics') return { status: 200, text: metricsOf(worker) };
  return { status: 404, text: 'not found\n' };
}

function metricsOf(worker: FleetWorker): string {
  const { slots, running, draining, ended, cacheBytes, queueMs } = worker.stats();
  const gauges = {
    slots,
    running,
    draining: Number(draining),
    connected: Number(worker.isConnected),
    cache_bytes: cacheBytes,
    queue_seconds_p50: queueMs.p50 / 1000,
    queue_seconds_p99: queueMs.p99 / 1000,
  };
  const lines = Object.entries(gauges).flatMap(([name, value]) => [
    `# TYPE mustard_fleet_${name} gauge`,
    `mustard_fleet_${name} ${value}`,
  ]);
  lines.push('# TYPE mustard_fleet_jobs_total counter');
  for (const [ending, count] of Object.entries(ended))
    lines.push(`mustard_fleet_jobs_total{ending="${ending}"} ${count}`);
  return `${lines.join('\n')}\n`;
}
