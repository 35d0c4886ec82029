import { createSign, createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateKeyPair, SignJWT } from 'jose';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveMcpHttp } from '@mustard-sandbox/mcp-server/http';
import { clientMetadataUrl, openAuthorizationServer, scope, type AuthorizationServer } from './authorization-server.ts';
import {
  accepts,
  ask,
  askStateless,
  beginSession,
  connectHttp,
  eras,
  initialize,
  openHttp,
  rpc,
  runScript,
  type HttpStage,
} from './support.ts';

let issuer: AuthorizationServer;
let stage: HttpStage;
beforeAll(async () => {
  issuer = await openAuthorizationServer();
  stage = await openHttp({ authorization: { issuer: issuer.issuer } });
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

/** The status and the challenge that a token gets. */
async function statusOf(token: string | undefined): Promise<[number, string]> {
  const headers = { ...accepts, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const { status, headers: answered } = await ask(stage.server.url, { headers, body: initialize });
  return [status, answered['www-authenticate'] ?? ''];
}

async function namesFor(client: Client): Promise<string[]> {
  return (await client.listResources()).resources.map(({ name }) => name);
}

async function tokenOf(user: string): Promise<string> {
  return await issuer.sign({ aud: stage.server.url, sub: user });
}

describe('a real authorization server', () => {
  it('is found from the first refusal on, and gives a client that it never saw a token for this server', async () => {
    const { url } = stage.server;
    const [status, challenge] = await statusOf(undefined);
    const metadata = `${new URL(url).origin}/.well-known/oauth-protected-resource/mcp`;
    expect(status).toBe(401);
    expect(challenge).toContain(`resource_metadata="${metadata}"`);
    expect(challenge).toContain(`scope="${scope}"`);
    expect(await (await fetch(metadata)).json()).toMatchObject({
      resource: url,
      authorization_servers: [issuer.issuer],
      scopes_supported: [scope],
    });
    const token = await issuer.authorize(url, 'ann');
    const [, claims = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      aud: url,
      client_id: clientMetadataUrl,
      sub: 'ann',
    });
    for (const era of eras) {
      const client = await connectHttp(url, { era, token });
      expect((await runScript(client, '6 * 7')).structuredContent).toMatchObject({ value: 42 });
    }
  });
});

describe('a token', () => {
  it('of another audience is refused, and so is one for none', async () => {
    expect((await statusOf(await issuer.sign({ aud: 'https://other.example/mcp' })))[0]).toBe(401);
    expect((await statusOf(await issuer.sign({ aud: `${stage.server.url}/other` })))[0]).toBe(401);
    expect((await statusOf(await issuer.sign({})))[0]).toBe(401);
  });

  it('that is too old, or never ends, is refused', async () => {
    const aud = stage.server.url;
    const [status, challenge] = await statusOf(await issuer.sign({ aud }, { expires: '-1m' }));
    expect([status, challenge]).toEqual([401, expect.stringContaining('The token has expired.')]);
    const { privateKey } = await generateKeyPair('RS256');
    const endless = new SignJWT({ iss: issuer.issuer, aud, sub: 'x', scope }).setProtectedHeader({ alg: 'RS256' });
    expect((await statusOf(await endless.sign(privateKey)))[0]).toBe(401);
  });

  it('without the scope is refused, and told which one it needs', async () => {
    const [status, challenge] = await statusOf(await issuer.sign({ aud: stage.server.url, scope: 'openid other' }));
    expect(status).toBe(403);
    expect(challenge).toContain('insufficient_scope');
    expect(challenge).toContain(`scope="${scope}"`);
  });

  it('that nobody signed, or another one, is refused: alg none, a shared key, a key of the same name', async () => {
    const claims = {
      iss: issuer.issuer,
      aud: stage.server.url,
      sub: 'ann',
      scope,
      exp: Math.floor(Date.now() / 1000) + 60,
    };
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${part({ alg: 'none', typ: 'at+jwt' })}.${part(claims)}.`;
    expect((await statusOf(unsigned))[0]).toBe(401);
    // The published key as the secret of a signature that both sides can make.
    const keys = await (await fetch(`${issuer.issuer}/jwks`)).text();
    const head = `${part({ alg: 'HS256', kid: 'of the server' })}.${part(claims)}`;
    const shared = `${head}.${createHmac('sha256', keys).update(head).digest('base64url')}`;
    expect((await statusOf(shared))[0]).toBe(401);
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const same = `${part({ alg: 'RS256', kid: 'of the server' })}.${part(claims)}`;
    const forged = createSign('RSA-SHA256')
      .update(same)
      .sign(privateKey as never, 'base64url');
    expect((await statusOf(`${same}.${forged}`))[0]).toBe(401);
  });

  it('of another issuer is refused, though its key is right', async () => {
    expect((await statusOf(await issuer.sign({ iss: 'https://other.example', aud: stage.server.url })))[0]).toBe(401);
    expect((await statusOf(await issuer.sign({ sub: undefined as never, aud: stage.server.url })))[0]).toBe(401);
  });

  it('that is wrong too often closes the door to its address, but not to who is in', async () => {
    await using other = await openHttp({ authorization: { issuer: issuer.issuer } });
    const { url } = other.server;
    const refused = async (authorization: string): Promise<number> =>
      (await ask(url, { headers: { ...accepts, authorization }, body: initialize })).status;
    const statuses = new Set<number>();
    for (let tries = 0; tries < 40 && !statuses.has(429); tries++) statuses.add(await refused('Bearer guess'));
    expect([...statuses]).toEqual([401, 429]);
    expect(await refused(`Bearer ${await issuer.sign({ aud: url })}`)).toBe(429);
  });
});

describe('one user and another', () => {
  it('share no task', async () => {
    const { url } = stage.server;
    const [ann, bob] = [await tokenOf('ann'), await tokenOf('bob')];
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const script = 'const begun = Date.now(); while (Date.now() - begun < 1500); 7';
    const call = { name: 'execute_sandbox_script', arguments: { script } };
    const asked = { method: 'tools/call', name: call.name, params: call, capabilities, token: ann };
    const { taskId } = (await askStateless(url, asked)).result as unknown as { taskId: string };
    expect(taskId).toMatch(/^[0-9a-f]{32}$/);
    const about = { name: taskId, params: { taskId, inputResponses: {} }, capabilities };
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect(await askStateless(url, { ...about, method, token: bob })).toMatchObject({ error: { code: -32602 } });
    }
    await expect
      .poll(async () => (await askStateless(url, { ...about, method: 'tasks/get', token: ann })).result, {
        timeout: 30_000,
      })
      .toMatchObject({ status: 'completed', result: { structuredContent: { value: 7 } } });
  });

  it('share no session, no stream, no file and no figure', async () => {
    const { url } = stage.server;
    const [ann, bob] = [await tokenOf('ann'), await tokenOf('bob')];
    const headers = await beginSession(url, { authorization: `Bearer ${ann}` });
    const script = { name: 'execute_sandbox_script', arguments: { script: '1' } };
    const stream = await ask(url, { headers, body: rpc('tools/call', script) });
    const [, event] = /^id: (\d+)$/m.exec(stream.body) ?? [];
    const stolen = { ...headers, authorization: `Bearer ${bob}` };
    expect((await ask(url, { headers: stolen, body: rpc('tools/list') })).status).toBe(404);
    expect((await ask(url, { method: 'GET', headers: { ...stolen, 'last-event-id': String(event) } })).status).toBe(
      404,
    );
    expect((await ask(url, { method: 'DELETE', headers: stolen })).status).toBe(404);
    expect((await ask(url, { headers, body: rpc('tools/list') })).status).toBe(200);

    const clientOfAnn = await connectHttp(url, { token: ann });
    const { structuredContent } = await clientOfAnn.callTool({
      name: 'upload_file',
      arguments: { name: 'secret.txt' },
    });
    // Whoever has the address can send the file: it is the file of who asked for it.
    expect((await fetch((structuredContent as { url: string }).url, { method: 'PUT', body: 's' })).status).toBe(201);
    const clientOfBob = await connectHttp(url, { token: bob, era: '2026-07-28' });
    expect(await namesFor(clientOfBob)).toEqual(['functions.d.ts']);
    expect((await runScript(clientOfBob, `list_files('attachments:')`)).structuredContent).toMatchObject({ value: [] });
    await expect(clientOfBob.readResource({ uri: 'attachments:///secret.txt' })).rejects.toThrow(
      'There is no attachment',
    );
    expect(await namesFor(clientOfAnn)).toEqual(['functions.d.ts', 'secret.txt']);

    const figures = async (token: string): Promise<string> =>
      (await ask(url, { method: 'GET', path: '/metrics', headers: { authorization: `Bearer ${token}` } })).body;
    expect(await figures(ann)).toContain('uploads_total 1');
    expect(await figures(bob)).not.toContain('uploads_total');
  });
});

describe('the server', () => {
  it('does not start where others can reach it without authorization, or without its address', async () => {
    await expect(serveMcpHttp({ listen: '0.0.0.0:0' })).rejects.toThrow(
      /can be reached from other machines.*--issuer/s,
    );
    const authorization = { issuer: issuer.issuer };
    await expect(serveMcpHttp({ listen: '0.0.0.0:0', authorization })).rejects.toThrow('--resource');
    await expect(serveMcpHttp({ authorization: { issuer: 'http://other.example' } })).rejects.toThrow('https://');
  });

  it('says so while its authorization server is away, and goes on when that is back', async () => {
    const reserved = createServer();
    await new Promise<void>((resolve) => reserved.listen(0, '127.0.0.1', resolve));
    const { port } = reserved.address() as AddressInfo;
    await new Promise((resolve) => reserved.close(resolve));
    await using away = await openHttp({ authorization: { issuer: `http://127.0.0.1:${port}` } });
    const token = await tokenOf('ann');
    const first = await ask(away.server.url, {
      headers: { ...accepts, authorization: `Bearer ${token}` },
      body: initialize,
    });
    expect([first.status, first.body]).toEqual([503, expect.stringContaining('authorization server cannot be asked')]);
    const back = createServer((_, response) => {
      const at = `http://127.0.0.1:${port}`;
      const places = {
        authorization_endpoint: `${at}/a`,
        token_endpoint: `${at}/t`,
        jwks_uri: `${issuer.issuer}/jwks`,
      };
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ issuer: at, ...places }));
    });
    await new Promise<void>((resolve) => back.listen(port, '127.0.0.1', resolve));
    const right = await issuer.sign({ iss: `http://127.0.0.1:${port}`, aud: away.server.url });
    const second = await ask(away.server.url, {
      headers: { ...accepts, authorization: `Bearer ${right}` },
      body: initialize,
    });
    expect(second.status).toBe(200);
    back.closeAllConnections();
    back.close();
  });
});
