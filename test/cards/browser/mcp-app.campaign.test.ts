import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/client';
import { build } from 'esbuild';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connect, makeFolder, type Connected, type ConnectOptions } from '../../mcp/support.ts';
import { hasChromium, launchChromium } from '../../browser.ts';

const extension = 'io.modelcontextprotocol/ui';
const uri = 'ui://mustard-sandbox/script.html';
const mediaType = 'text/html;profile=mcp-app';
const apps: NonNullable<ConnectOptions['capabilities']> = { extensions: { [extension]: { mimeTypes: [mediaType] } } };

/** A host: the official bridge, with the page in a frame that may run scripts and nothing else. */
const hostScript = `
  import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
  globalThis.show = async (html, args, theme) => {
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts';
    frame.style.cssText = 'width: 100%; height: 600px; border: 0';
    document.body.append(frame);
    const bridge = new AppBridge(null, { name: 'host', version: '1' }, { serverTools: {}, serverResources: {}, message: {} }, {
      hostContext: { theme },
    });
    globalThis.bridge = bridge;
    bridge.oncalltool = (params) => globalThis.callTool(params);
    bridge.onreadresource = (params) => globalThis.readResource(params);
    bridge.onsizechange = ({ height }) => { globalThis.height = height; };
    const ready = new Promise((resolve) => { bridge.oninitialized = resolve; });
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
    frame.srcdoc = html;
    await ready;
    await bridge.sendToolInput({ arguments: args });
    const result = await globalThis.callTool({ name: 'execute_sandbox_script', arguments: args });
    await bridge.sendToolResult(result);
  };`;

async function hostPage(): Promise<{ server: Server; origin: string }> {
  const { outputFiles } = await build({
    stdin: { contents: hostScript, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    format: 'esm',
    write: false,
  });
  const server = createServer((request, response) => {
    const isScript = request.url === '/host.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(
      isScript ? outputFiles[0]!.text : '<!doctype html><body><script type="module" src="/host.js"></script>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('what a client sees of it', () => {
  test.each(['2025-11-25', '2026-07-28'] as const)('one that shows pages is told of the page: %s', async (era) => {
    const { client, run } = await connect(['--consent', 'always'], { era, capabilities: apps });
    const { tools } = await client.listTools();
    expect(tools[0]?._meta).toEqual({ ui: { resourceUri: uri } });
    expect((await client.listResources()).resources).toContainEqual(
      expect.objectContaining({ uri, mimeType: mediaType }),
    );
    const { contents } = await client.readResource({ uri });
    expect(contents[0]).toMatchObject({ uri, mimeType: mediaType, _meta: { ui: { csp: { connectDomains: [] } } } });
    expect((await run('6 * 7'))._meta).toMatchObject({
      'mustard-sandbox/record': { script: '6 * 7', result: { text: '42' } },
    });
    expect(client.getServerCapabilities()?.extensions).toHaveProperty([extension]);
  });

  test('one that does not sees what it saw before', async () => {
    const { client, run } = await connect(['--consent', 'always']);
    const { tools } = await client.listTools();
    expect(tools[0]).not.toHaveProperty('_meta');
    expect((await client.listResources()).resources.map((one) => one.uri)).not.toContain(uri);
    expect((await run('6 * 7'))._meta?.['mustard-sandbox/record']).toBeUndefined();
  });

  test('the page loads nothing, and its policy lets nothing in', async () => {
    const { client } = await connect(['--consent', 'always'], { capabilities: apps });
    const html = (await client.readResource({ uri })).contents
      .map((part) => ('text' in part ? part.text : ''))
      .join('');
    expect(html).toMatch(/content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/);
    expect(html).not.toMatch(/<(?:link|img|iframe|script[^>]+src)/);
    expect(html).not.toMatch(/@import|url\(\s*["']?https?:/);
  });
});

describe.skipIf(!hasChromium)('in a host, by the official bridge', () => {
  let browser: Browser;
  let host: Awaited<ReturnType<typeof hostPage>>;
  beforeAll(async () => {
    [browser, host] = await Promise.all([launchChromium(), hostPage()]);
  });
  afterAll(async () => {
    await browser?.close();
    host?.server.close();
  });

  interface Shown {
    page: Page;
    frame: FrameLocator;
    requests: string[];
    problems: string[];
    connected: Connected;
  }

  async function show(
    args: { script: string; description?: string },
    theme = 'light',
    passedOn = (result: CallToolResult): CallToolResult => result,
  ): Promise<Shown> {
    const folder = makeFolder({ 'a.txt': 'a' });
    const connected = await connect(['--consent', 'always', '--root', folder, '--out', makeFolder()], {
      capabilities: apps,
    });
    const { client } = connected;
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const requests: string[] = [];
    const problems: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.exposeFunction('callTool', (params: Parameters<typeof client.callTool>[0]): Promise<CallToolResult> =>
      client.callTool(params).then(passedOn),
    );
    await page.exposeFunction('readResource', (params: { uri: string }): Promise<ReadResourceResult> =>
      client.readResource(params),
    );
    await page.goto(host.origin);
    const [content] = (await client.readResource({ uri })).contents;
    const html = content !== undefined && 'text' in content ? content.text : '';
    await page.waitForFunction(() => 'show' in globalThis);
    requests.length = 0;
    await page.evaluate(
      ([html, args, theme]) =>
        (globalThis as unknown as { show: (...all: unknown[]) => Promise<void> }).show(html, args, theme),
      [html, args, theme] as const,
    );
    return { page, frame: page.frameLocator('iframe'), requests, problems, connected };
  }

  test('shows the card of a call, reaches nothing, and tells its height', async () => {
    const { page, frame, requests, problems } = await show({ script: '[["a", 3], ["b", 1]]', description: 'Count' });
    const line = frame.getByRole('button', { name: /^Script — Count — success/ });
    await line.click();
    await expect.poll(() => frame.locator('.ms-bar').count()).toBe(2);
    expect(requests.filter((url) => url.startsWith('http'))).toEqual([]);
    expect(problems).toEqual([]);
    await expect
      .poll(() => page.evaluate(() => (globalThis as unknown as { height?: number }).height ?? 0))
      .toBeGreaterThan(150);
  });

  test.each([
    ['numbers', 'stats', undefined],
    ['a time', 'at', undefined],
    ['a time that is one', 'at', 'now'],
    ['its result', 'result', undefined],
    ['the text of its result', 'result', {}],
  ])('shows a record without %s', async (_what, field, value) => {
    const { frame, problems } = await show({ script: '6 * 7' }, 'light', ({ _meta = {}, ...result }) => {
      const record = _meta['mustard-sandbox/record'] as object;
      return { ...result, _meta: { 'mustard-sandbox/record': { ...record, [field]: value } } };
    });
    await frame.getByRole('button', { name: /^Script — Ran a script — success/ }).click();
    await frame.getByText('42').first().waitFor();
    expect(problems).toEqual([]);
  });

  test('shows what a script has kept: a chart, and a table by pages', async () => {
    const script = `save('rows.csv', Array.from({ length: 250 }, (_, n) => ({ n })));
      chart({ type: 'bar', data: { a: 1, b: 2 }, x: 'key', y: 'value', title: 'Two <b>bars</b>' })`;
    const { frame, requests, problems } = await show({ script });
    await frame.getByRole('button', { name: /^Script/ }).click();
    await frame.locator('.ms-chart-drawing svg').waitFor();
    await frame.getByText('Two <b>bars</b>').waitFor();
    await frame.getByRole('button', { name: 'Open as table: rows.csv' }).click();
    await frame.getByText('Rows 1 to 100 of 250').waitFor();
    await frame.getByRole('button', { name: 'Next' }).click();
    await frame.getByText('Rows 101 to 200 of 250').waitFor();
    expect(requests.filter((url) => url.startsWith('http'))).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('runs again through the host, also after an error', async () => {
    const { frame } = await show({ script: 'throw new Error("no <b>luck</b>")' });
    await frame.getByText('no <b>luck</b>').first().waitFor();
    await frame.getByRole('button', { name: 'Re-run' }).click();
    await expect.poll(() => frame.locator('.ms-card[data-status=error]').count()).toBe(2);
  });

  test('shows all of a long result, which it reads through the host', async () => {
    const { frame } = await show({ script: '"line of a long result\\n".repeat(20000)' });
    await frame.getByRole('button', { name: /^Script/ }).click();
    await frame.getByText('LLM saw 64 KB of 430 KB').waitFor();
    await frame.getByRole('button', { name: 'Show all 430 KB' }).click();
    await frame.getByText('The full output, 430 KB').waitFor();
    await expect.poll(() => frame.locator('.ms-text-row').count()).toBeGreaterThan(5);
  });

  test('follows the theme of the host', async () => {
    const { page, frame } = await show({ script: '1' }, 'dark');
    const background = (): Promise<string> =>
      frame.locator('.ms-card').evaluate((card) => getComputedStyle(card).backgroundColor);
    await expect.poll(background).toBe('rgb(29, 28, 26)');
    await page.evaluate(() => {
      const { bridge } = globalThis as unknown as { bridge: { setHostContext: (context: object) => void } };
      bridge.setHostContext({ theme: 'light' });
    });
    await expect.poll(background).toBe('rgb(255, 255, 255)');
  });
});
