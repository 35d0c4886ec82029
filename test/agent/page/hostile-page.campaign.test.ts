// A page of another origin in the same browser, while the agent runs: what it tries, it does not get.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasChromium, launchChromium } from '../../browser.ts';
import { originOf, startAgent, tempFolder, tokenOf } from '../support.ts';

let browser: Browser;

/** A page that an attacker serves from this machine, by a name of its own. */
async function openHostile(): Promise<Page> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const context = await browser.newContext();
  onTestFinished(async () => {
    await context.close();
    server.close();
  });
  const page = await context.newPage();
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
  return page;
}

describe.skipIf(!hasChromium)('a page of another origin', () => {
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
  });

  test('opens no socket, reads nothing and stores nothing, even when it knows the token', async () => {
    const program = await startAgent();
    const page = await openHostile();
    const tried = await page.evaluate(
      async ({ origin, token }) => {
        const outcome = async (work: Promise<unknown>): Promise<string> =>
          await work.then(
            () => 'it worked',
            () => 'refused',
          );
        const socket = new Promise((resolve, reject) => {
          const opened = new WebSocket(`${origin.replace('http', 'ws')}/socket`);
          opened.addEventListener('open', resolve);
          opened.addEventListener('error', reject);
        });
        const upload = fetch(`${origin}/uploads?chat=a&name=b`, {
          method: 'PUT',
          headers: { authorization: `Bearer ${token}` },
          body: 'x',
        });
        return {
          socket: await outcome(socket),
          read: await outcome(fetch(`${origin}/`)),
          upload: await outcome(upload),
          // Sent without asking first, as a form does: it must change nothing, whether it arrives or not.
          simple: await fetch(`${origin}/open`, { method: 'POST', mode: 'no-cors', body: 'x' }).then(
            ({ type }) => type,
            () => 'refused',
          ),
        };
      },
      { origin: originOf(program), token: tokenOf(program) },
    );
    expect(tried).toMatchObject({ socket: 'refused', read: 'refused', upload: 'refused' });
    expect(['opaque', 'refused']).toContain(tried.simple);
    expect(await program.services.apps.list()).toEqual([]);
  });

  test('shows the agent in no frame, and loads none of its scripts', async () => {
    const program = await startAgent();
    const page = await openHostile();
    const origin = originOf(program);
    const loaded = await page.evaluate(async (address) => {
      const script = document.createElement('script');
      script.src = `${address}/main.js`;
      const ended = new Promise<string>((resolve) => {
        script.addEventListener('load', () => resolve('loaded'));
        script.addEventListener('error', () => resolve('refused'));
      });
      document.head.append(script);
      return await ended;
    }, origin);
    expect(loaded).toBe('refused');
    await page.evaluate(async (address) => {
      const frame = document.createElement('iframe');
      frame.src = address;
      const ended = new Promise((resolve) => frame.addEventListener('load', resolve));
      document.body.append(frame);
      await ended;
    }, `${origin}/`);
    const frames = page.frames().filter((frame) => frame !== page.mainFrame());
    expect(frames.length).toBeGreaterThan(0);
    for (const frame of frames) expect(await frame.locator('#root').count()).toBe(0);
  });

  test('of the agent itself runs nothing that is written into it, and breaks no rule of its own policy', async () => {
    const program = await startAgent();
    const app = await program.addFolder(await tempFolder());
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(program.makeTicketUrl(app));
    await page.getByRole('textbox').first().waitFor();
    // Neither token nor ticket stays where it is copied from. A page that is loaded again is let in all the same.
    expect(page.url()).toBe(`${originOf(program)}/`);
    await page.reload();
    await page.getByRole('textbox').first().waitFor();
    expect(problems).toEqual([]);
    const written = await page.evaluate(async () => {
      const attempts = [
        () => document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="globalThis.broken = 1">'),
        () => document.body.appendChild(document.createElement('script')).append('globalThis.broken = 2'),
        () => document.body.appendChild(document.createElement('img')).setAttribute('src', 'http://evil.example/'),
        () => document.body.appendChild(document.createElement('div')).setAttribute('onclick', 'globalThis.broken = 3'),
      ];
      const outcomes: string[] = [];
      for (const attempt of attempts) {
        const reported = new Promise<string>((resolve) => {
          document.addEventListener('securitypolicyviolation', () => resolve('refused'), { once: true });
        });
        try {
          attempt();
        } catch {
          // Its report comes as well.
        }
        outcomes.push(await reported);
      }
      return outcomes;
    });
    expect(written).toHaveLength(4);
    expect(await page.evaluate(() => 'broken' in globalThis)).toBe(false);
  });
});
