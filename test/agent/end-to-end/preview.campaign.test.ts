// The preview in a real browser: a plain dev server, a hostile one, and Vite with React.
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Frame, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { command, isAlive, manifest, pidsIn } from '../preview/support.ts';
import { AgentProcess, projectWith, useStage } from './stage.ts';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

async function openTab(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show the panel' }).click();
  await page.getByRole('tab', { name: 'Preview' }).click();
}

async function allow(page: Page): Promise<void> {
  const once = page.getByRole('dialog').getByRole('button', { name: 'Start once' });
  await page.locator('[role=dialog] button:not([aria-disabled=true])').first().waitFor();
  await once.click();
}

/** The page of the app, once it is there. */
async function shown(page: Page, selector: string): Promise<Frame> {
  await page.frameLocator('iframe').locator(selector).first().waitFor();
  return page.frames()[1] as Frame;
}

async function started(page: Page, selector = 'h1'): Promise<Frame> {
  await openTab(page);
  await page.getByRole('button', { name: 'Start the app' }).click();
  await allow(page);
  return await shown(page, selector);
}

async function go(page: Page, path: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Address in the app' }).fill(path);
  await page.keyboard.press('Enter');
}

/** A project whose page is what a test says. */
function projectOf(html: string, more: Record<string, string> = {}): string {
  const server = `import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'served=1; HttpOnly' });
  response.end(readFileSync('index.html', 'utf8').replace('COOKIES', request.headers.cookie ?? 'none'));
}).listen(0, '127.0.0.1', function () { console.log('on http://localhost:' + this.address().port); });`;
  const files = {
    'server.mjs': server,
    'index.html': html,
    'package.json': manifest({ dev: `'${process.execPath}' server.mjs` }),
  };
  return projectWith({ ...files, ...more });
}

describe.skipIf(!hasChromium)('the preview of an app', () => {
  const stage = useStage();

  test('starts by its own script after a yes, and its errors go to the model as a message that the person sees', async () => {
    const agent = await AgentProcess.start(stage);
    const project = projectWith({ 'package.json': manifest({ dev: command('plain'), test: 'true' }) });
    const { page } = await agent.open(project, 'build');
    await openTab(page);
    await page.getByRole('button', { name: 'Start the app' }).click();
    await page.getByRole('dialog').getByText(command('plain')).waitFor();
    await page.getByRole('dialog').getByText(project).waitFor();
    await allow(page);
    await shown(page, 'text=The shop');

    await go(page, '/broken');
    const errors = page.getByRole('region', { name: /errors/ });
    await errors.getByText('cart of Ann is {"items":0}').waitFor();
    await errors.getByText('TypeError: total is not a function').first().waitFor();
    await errors.getByText('GET /missing → 404 Not Found').waitFor();
    await errors.getByText('img could not be loaded: /nothing.png').waitFor();
    await page
      .frameLocator('iframe')
      .locator('body')
      .evaluate(() => fetch('/crash'));
    await errors.getByText('TypeError: cannot read total of undefined', { exact: true }).waitFor();

    await errors.getByRole('checkbox', { name: /img could not/ }).uncheck();
    stage.model.reply([{ text: 'The cart has no total.' }]);
    const before = stage.model.requests.length;
    await page.getByRole('button', { name: 'Fix these' }).click();
    await page.getByText('The cart has no total.').waitFor();
    const sent = JSON.stringify(stage.model.requests[before]?.messages.at(-1));
    for (const text of ['cart of Ann', 'total is not a function', 'GET /missing', 'src/order.ts:12:7']) {
      expect(sent).toContain(text);
      expect(await page.getByLabel('Messages').getByText(text).count()).toBeGreaterThan(0);
    }
    expect(sent).not.toContain('nothing.png');
    await page.getByRole('button', { name: 'Stop the app' }).click();
    await page.getByText('The app is not running').waitFor();
  }, 240_000);

  test('goes back, and picks an element by the keyboard for the next message', async () => {
    const agent = await AgentProcess.start(stage);
    const { page } = await agent.open(projectWith({ 'package.json': manifest({ dev: command('plain') }) }), 'ask');
    await started(page);
    await go(page, '/headers');
    await shown(page, 'text=accept-language');
    const address = page.getByRole('textbox', { name: 'Address in the app' });
    await go(page, '/cookie?x=1');
    await shown(page, 'text=cookies');
    await expect.poll(() => address.inputValue()).toBe('/cookie?x=1');
    await go(page, '/');
    const frame = await shown(page, 'h1');
    await expect.poll(() => address.inputValue()).toBe('/');
    await page.getByRole('button', { name: 'Back' }).click();
    await expect.poll(() => address.inputValue()).toBe('/cookie?x=1');
    await go(page, '/');
    await shown(page, 'h1');
    await expect.poll(() => address.inputValue()).toBe('/');

    await page.getByRole('button', { name: 'Pick an element' }).click();
    await page.getByText('Click an element of the page').waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(() => frame.evaluate(() => document.activeElement?.id)).toBe('save');
    await page.keyboard.press('Enter');
    const composer = page.getByRole('textbox', { name: 'Message' });
    await expect.poll(() => composer.inputValue()).toBe('About `button#save` “Save”: ');
    await page.getByRole('button', { name: 'Pick an element' }).click();
    await page.frameLocator('iframe').locator('h1').hover();
    await page.frameLocator('iframe').locator('h1').click();
    await expect.poll(() => composer.inputValue()).toContain('About `h1` “The shop”: ');
  }, 240_000);

  test('has no way to the agent: no door, no token, no storage, no cookie, no window', async () => {
    const hostile = `<!doctype html><h1>Hostile</h1><p id="cookies">COOKIES</p><script>
      const found = {};
      const tell = (name, value) => { found[name] = String(value); document.title = JSON.stringify(found); };
      const attempt = async (name, work) => {
        try { tell(name, await work()); } catch (error) { tell(name, 'refused ' + error.name); }
      };
      window.attack = async (agent, token) => {
        await attempt('page', async () => (await fetch(agent + '/')).status);
        await attempt('opaque', async () => (await fetch(agent + '/main.js', { mode: 'no-cors' })).type);
        await attempt('upload', async () =>
          (await fetch(agent + '/uploads?chat=a&name=b', { method: 'PUT', headers: { authorization: 'Bearer ' + token } })).status);
        await attempt('script', () => new Promise((yes, no) => {
          const script = document.createElement('script');
          Object.assign(script, { src: agent + '/main.js', onload: () => yes('loaded'), onerror: () => no(new Error()) });
          document.head.append(script);
        }));
        await attempt('frame', () => new Promise((yes) => {
          const frame = document.createElement('iframe');
          frame.src = agent;
          frame.onload = () => { try { yes(frame.contentDocument.title); } catch (error) { yes('refused ' + error.name); } };
          document.body.append(frame);
        }));
        await attempt('socket', () => new Promise((yes, no) => {
          const socket = new WebSocket(agent.replace('http', 'ws') + '/socket');
          socket.onopen = () => yes('open');
          socket.onerror = () => no(new Error());
        }));
        await attempt('parent', () => parent.document.title);
        await attempt('parent storage', () => parent.sessionStorage.length);
        await attempt('own storage', () => JSON.stringify(sessionStorage) + JSON.stringify(localStorage));
        await attempt('kept', () => { localStorage.own = 1; return localStorage.getItem('own') + Object.keys(localStorage); });
        await attempt('address', () => parent.location.href);
        await attempt('away', () => { top.location.href = 'data:text/html,gone'; return 'set'; });
        await attempt('popup', () => String(window.opener));
        await attempt('cookie', () => { document.cookie = 'agent=1; Domain=127.0.0.1'; document.cookie = 'all=1; Domain=localhost';
          document.cookie = 'own=1'; return document.cookie; });
        for (const message of [
          null, 7, 'ready', {}, { type: 'ready', more: 1 }, { type: 'hello' }, { type: 'at', path: 'https://evil.example' },
          { type: 'at', path: '//' + 'x'.repeat(5000) }, { type: 'issue', kind: 'server', text: 'forged server' },
          { type: 'issue', kind: 'page', text: 'x'.repeat(4001) }, { type: 'picked', selector: 'a', text: '', file: {}, },
          { type: 'constructor' }, { type: '__proto__' },
        ]) parent.postMessage(message, '*');
        for (let count = 0; count < 5000; count++) parent.postMessage({ type: 'issue', kind: 'page', text: 'flood ' + count }, '*');
        return found;
      };
    </script>`;
    const agent = await AgentProcess.start(stage);
    const { page } = await agent.open(projectOf(hostile), 'ask');
    const { origin, hash } = new URL(agent.url);
    await page.context().addCookies([{ name: 'session', value: 'of-the-agent', url: origin }]);
    const frame = await started(page);
    const token = new URLSearchParams(hash.slice(1)).get('token');
    const found = await frame.evaluate(
      async ([origin, token]) =>
        (await (globalThis as unknown as { attack: (...args: unknown[]) => Promise<unknown> }).attack(
          origin,
          token,
        )) as Record<string, string>,
      [origin, token],
    );
    expect(found).toEqual({
      page: 'refused TypeError',
      opaque: 'refused TypeError',
      upload: 'refused TypeError',
      script: 'refused Error',
      frame: expect.stringContaining('refused') as string,
      socket: 'refused Error',
      parent: 'refused SecurityError',
      'parent storage': 'refused SecurityError',
      'own storage': '{}{}',
      kept: '1own',
      address: 'refused SecurityError',
      away: 'refused SecurityError',
      popup: 'null',
      cookie: 'own=1',
    });
    expect(await page.title()).toBe('Mustard agent');
    expect(await frame.locator('#cookies').textContent()).toBe('none');
    // Cookies of the app come back to it, and none of them to the agent.
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await expect.poll(() => page.frameLocator('iframe').locator('#cookies').textContent()).toMatch(/served=1/);
    expect(await page.frameLocator('iframe').locator('#cookies').textContent()).not.toContain('of-the-agent');
    const cookies = await page.context().cookies(origin);
    expect(cookies.map(({ name }) => name)).toEqual(['session']);
    // Of the flood, a part of a second is taken; of what is no message, nothing.
    const rows = await page.locator('.ma-preview-list li').count();
    expect(rows).toBeLessThanOrEqual(101);
    expect(await page.getByText('forged server').count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Address in the app' }).inputValue()).toBe('/');
    await page.getByRole('button', { name: 'Settings' }).first().waitFor();
  }, 240_000);

  test('a page of another origin, and another frame, are not heard', async () => {
    const agent = await AgentProcess.start(stage);
    const { page } = await agent.open(projectOf('<!doctype html><h1>Calm</h1>'), 'ask');
    const frame = await started(page);
    await frame.evaluate(() => {
      const inner = document.createElement('iframe');
      inner.srcdoc =
        '<script>top.postMessage({ type: "issue", kind: "page", text: "of an inner frame" }, "*")</script>';
      document.body.append(inner);
    });
    await page.evaluate(() => postMessage({ type: 'issue', kind: 'page', text: 'of the page itself' }, '*'));
    await frame.evaluate(() => console.error('of the app'));
    await page.getByText('of the app').waitFor();
    expect(await page.getByText(/of an inner frame|of the page itself/).count()).toBe(0);
  }, 240_000);

  test('takes no keys from who types in the agent', async () => {
    const thief = `<!doctype html><h1>Thief</h1><input id="trap"><script>
      window.own = document.createElement('iframe');
      window.polite = setInterval(() => document.querySelector('#trap').focus(), 20);
      window.steal = () => {
        document.body.append(own);
        // Not the method that the preview has replaced.
        window.stealing = setInterval(() => own.contentWindow.HTMLElement.prototype.focus.call(document.querySelector('#trap')), 20);
      };
    </script>`;
    const agent = await AgentProcess.start(stage);
    const { page } = await agent.open(projectOf(thief), 'ask');
    const frame = await started(page);
    const composer = page.getByRole('textbox', { name: 'Message' });
    const text = 'The key of the model is sk-1234567890';
    await composer.click();
    await page.keyboard.type(text, { delay: 30 });
    expect(await composer.inputValue()).toBe(text);
    await composer.fill('');
    await frame.evaluate(() => (globalThis as unknown as { steal: () => void }).steal());
    await page.getByText('took the keyboard').waitFor();
    await page.keyboard.type(text, { delay: 30 });
    expect(await composer.inputValue()).toBe(text);
    expect(await frame.evaluate(() => document.querySelector<HTMLInputElement>('#trap')?.value)).toBe('');
    await page.keyboard.press('Control+,');
    await page.getByRole('dialog').waitFor();
    expect(await page.locator('iframe').isVisible()).toBe(false);
    await page.keyboard.press('Escape');
    await frame.evaluate(() => {
      const { polite, stealing } = globalThis as unknown as { polite: number; stealing: number };
      for (const timer of [polite, stealing]) clearInterval(timer);
    });
    await page.getByRole('button', { name: 'Show it again' }).click();
    await page.locator('iframe').waitFor({ state: 'visible' });
  }, 240_000);

  test('what leads elsewhere is told in its place, and the agent stays', async () => {
    const other = createServer((_, response) => response.end('<h1>elsewhere</h1>'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    const agent = await AgentProcess.start(stage);
    const { page } = await agent.open(projectWith({ 'package.json': manifest({ dev: command('plain') }) }), 'ask');
    await started(page);
    for (const to of [elsewhere, new URL(agent.url).origin]) {
      await go(page, `/agent?to=${encodeURIComponent(to)}`);
      await shown(page, 'text=This leads away from the app');
      await expect
        .poll(() => page.frameLocator('iframe').locator('a').getAttribute('href'))
        .toBe(new URL(to).href.replace(/\/$/, to.endsWith('/') ? '/' : ''));
    }
    await go(page, '/');
    const frame = await shown(page, 'text=The shop');
    await frame.evaluate((to) => void (location.href = to), elsewhere);
    await go(page, '/');
    await shown(page, 'text=The shop');
    expect(await page.getByText('elsewhere').count()).toBe(0);
  }, 240_000);

  test('restart and refresh of a proposal act when it is applied', async () => {
    const agent = await AgentProcess.start(stage);
    const note = join(projectWith({ 'a.txt': '' }), 'pids');
    const project = projectWith({ 'package.json': manifest({ dev: command('plain', note) }) });
    const { page } = await agent.open(project, 'build');
    const frame = await started(page);
    await frame.evaluate(() => void ((globalThis as Record<string, unknown>)['mark'] = 1));
    const propose = async (type: string): Promise<void> => {
      stage.model.reply([
        { text: `<agent-write path="${type}.txt">\n1\n</agent-write>\n<agent-command type="${type}"></agent-command>` },
      ]);
      await page.getByRole('textbox', { name: 'Message' }).fill(`Do ${type}`);
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('button', { name: 'Approve' }).last().click();
    };
    await propose('refresh');
    const isMarked = (): Promise<boolean> =>
      (page.frames()[1] as Frame).evaluate(() => 'mark' in globalThis).catch(() => true);
    await expect.poll(isMarked).toBe(false);
    expect(pidsIn(note)).toHaveLength(1);
    await propose('restart');
    await allow(page);
    await expect.poll(() => pidsIn(note).length).toBe(2);
    const [first, second] = pidsIn(note) as [number, number];
    await shown(page, 'text=The shop');
    expect([isAlive(first), isAlive(second)]).toEqual([false, true]);
  }, 240_000);

  test('Vite with React: what changes is there without a reload, and an element has its component and line', async () => {
    const project = projectWith({
      '.gitignore': 'node_modules\n',
      'package.json': manifest({ dev: 'vite' }),
      'vite.config.js': `export default { oxc: { jsx: { runtime: 'automatic', development: true } }, clearScreen: false };\n`,
      'index.html':
        '<!doctype html><html><head></head><body><div id="root"></div><script type="module" src="/src/main.jsx"></script></body></html>',
      'src/main.jsx': `import { createRoot } from 'react-dom/client';\nimport './shop.css';\nimport { Shop } from './shop.jsx';\ncreateRoot(document.querySelector('#root')).render(<Shop />);\n`,
      'src/shop.jsx': `// A shop.\n\n// It sells tea.\nexport function Shop() {\n  return (\n    <main>\n      <h1>Tea shop</h1>\n      <button className="buy">Buy</button>\n    </main>\n  );\n}\n`,
      'src/shop.css': 'h1 { color: rgb(255, 0, 0); }\n',
    });
    symlinkSync(modules, join(project, 'node_modules'));
    mkdirSync(join(project, '.cache'));
    onTestFinished(() => rmSync(join(project, 'node_modules'), { force: true }));
    const agent = await AgentProcess.start(stage);
    const { page } = await agent.open(project, 'ask');
    const frame = await started(page);
    const color = (): Promise<string> =>
      frame.evaluate(() => getComputedStyle(document.querySelector('h1') as Element).color);
    await expect.poll(color).toBe('rgb(255, 0, 0)');
    await frame.evaluate(() => void ((globalThis as Record<string, unknown>)['mark'] = 1));
    writeFileSync(
      join(project, 'src/shop.css'),
      readFileSync(join(project, 'src/shop.css'), 'utf8').replace('255, 0', '0, 128'),
    );
    await expect.poll(color).toBe('rgb(0, 128, 0)');
    expect(await frame.evaluate(() => 'mark' in globalThis)).toBe(true);
    await page.getByRole('button', { name: 'Pick an element' }).click();
    await page.frameLocator('iframe').locator('button').click();
    const composer = page.getByRole('textbox', { name: 'Message' });
    await expect
      .poll(() => composer.inputValue())
      .toBe('About `button.buy` “Buy” (component `Shop`, `src/shop.jsx:8`): ');
  }, 240_000);
});
