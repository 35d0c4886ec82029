import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { createService } from '../src/service.js';

const service = createService();
let origin = '';

before(async () => {
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  const address = service.address();
  if (address === null || typeof address === 'string') throw new Error('The service has no port.');
  origin = `http://127.0.0.1:${address.port}`;
});
after(() => service.close());

test('says that it is well', async () => {
  const response = await fetch(`${origin}/health`);
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { status: 'ok' });
});

test('says that it does not know an address', async () => {
  assert.equal((await fetch(`${origin}/nothing`)).status, 404);
});
