import { request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { accepts, ask, beginSession, connectHttp, eras, openHttp, rpc, runScript } from './support.ts';

it.each(eras)('200 clients of %s at once get their own answers', { timeout: 300_000 }, async (era) => {
  await using stage = await openHttp();
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const client = await connectHttp(stage.server.url, { era });
      return (await runScript(client, `${index} * 2`)).structuredContent['value'];
    }),
  );
  expect(answers).toEqual(answers.map((__, index) => index * 2));
});

it('clients that never read hold nobody up', { timeout: 300_000 }, async () => {
  await using stage = await openHttp();
  const { url } = stage.server;
  const headers = await beginSession(url);
  const { hostname, port, pathname } = new URL(url);
  for (let index = 0; index < 50; index++) {
    const script = `'x'.repeat(60000) + ${index}`;
    const slow = request({ host: hostname, port, path: pathname, method: 'POST', headers }, (response) =>
      response.pause(),
    );
    slow.on('error', () => {});
    slow.end(rpc('tools/call', { name: 'execute_sandbox_script', arguments: { script } }, index + 1));
    onTestFinished(() => void slow.destroy());
  }
  const client = await connectHttp(url);
  expect((await runScript(client, '1 + 1')).structuredContent).toMatchObject({ value: 2 });
});

it('connections that were left half open end', { timeout: 300_000 }, async () => {
  await using stage = await openHttp();
  const { url } = stage.server;
  const { hostname, port, pathname } = new URL(url);
  let ended = 0;
  for (let index = 0; index < 40; index++) {
    const lengths = { ...accepts, 'content-length': '100' };
    const half = request({ host: hostname, port, path: pathname, method: 'POST', headers: lengths });
    half.on('error', () => ended++);
    half.write('{"jsonrpc":');
    onTestFinished(() => void half.destroy());
  }
  const headers = await beginSession(url);
  expect((await ask(url, { headers, body: rpc('ping') })).status).toBe(200);
  // A minute without a byte is the most.
  await expect.poll(() => ended, { timeout: 120_000, interval: 1_000 }).toBe(40);
  const { body } = await ask(url, { path: '/metrics', method: 'GET' });
  expect(body).toContain('mustard_sandbox_posts 0');
});
