// The real program as a process, a scripted model, and a person's browser.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest';
import type { Chat, ChatMode } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import { launchChromium } from '../../browser.ts';
import { TestPage } from '../turns/support.ts';
import { git, put } from '../changes/apps.ts';
import { ModelServer } from '../models/model-server.ts';

const bin = fileURLToPath(new URL('../../../packages/desktop-agent/bin/mustard-agent.js', import.meta.url));

/** What the tests of one file share: a browser and a model. Programs and folders end with the test, or with the file. */
export interface Stage {
  browser: Browser;
  model: ModelServer;
  /** What pages threw or logged as an error. */
  problems: string[];
}

export function useStage(): Stage {
  const stage = { problems: [] } as unknown as Stage;
  beforeAll(async () => {
    [stage.browser, stage.model] = await Promise.all([launchChromium(), ModelServer.start()]);
  });
  afterAll(async () => {
    await stage.browser?.close();
    await stage.model?.[Symbol.asyncDispose]();
  });
  return stage;
}

export function scratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-end-to-end-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A person's project: a folder with git, and everything in it committed. */
export function projectWith(files: Record<string, string>): string {
  const folder = join(scratchFolder(), 'shop');
  put(folder, files);
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'By hand');
  return folder;
}

/** The program as a process of its own. */
export class AgentProcess {
  readonly child: ChildProcess;
  readonly dataDir: string;
  readonly url: string;
  /** A page without a screen, for what a test prepares and looks up. */
  readonly wire: TestPage;
  readonly #stage: Stage;

  private constructor(stage: Stage, child: ChildProcess, dataDir: string, url: string, wire: TestPage) {
    this.#stage = stage;
    this.child = child;
    this.dataDir = dataDir;
    this.url = url;
    this.wire = wire;
  }

  static async start(
    stage: Stage,
    { dataDir = join(scratchFolder(), 'data'), env = {} }: { dataDir?: string; env?: NodeJS.ProcessEnv } = {},
  ): Promise<AgentProcess> {
    const { child, output } = run(['--data', dataDir, '--no-open'], env);
    await vi.waitUntil(() => output().includes('Ctrl-C') || child.exitCode !== null, { timeout: 120_000 });
    const url = /http:\S+/.exec(output())?.[0];
    if (url === undefined) throw new Error(`The program did not start: ${output()}`);
    const wire = await TestPage.open({ url });
    const { url: address, modelId } = stage.model;
    const isKnown = (await wire.ask('list-model-servers', {})).length > 0;
    const server = { name: 'Scripted', url: address, models: [], headers: {} };
    if (!isKnown) await wire.ask('save-model-server', { id: null, server });
    await wire.ask('update-settings', { model: modelId });
    return new AgentProcess(stage, child, dataDir, url, wire);
  }

  /** A chat of a project, open in a window. */
  async open(project: string, mode: ChatMode): Promise<{ page: Page; chat: Chat; appId: string }> {
    const { id: appId } = await this.wire.ask('add-app', { path: project });
    const chat = await this.wire.ask('create-chat', { appId, mode });
    return { page: await this.window(appId), chat, appId };
  }

  async window(appId: string): Promise<Page> {
    const context = await this.#stage.browser.newContext({ viewport: { width: 1280, height: 860 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.on('pageerror', (error) => this.#stage.problems.push(String(error)));
    await page.goto(`${this.url}&app=${appId}`);
    await chatIsOpen(page);
    return page;
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill(signal);
    await gone;
  }
}

export function run(args: string[], env: NodeJS.ProcessEnv = {}): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '', WSL_DISTRO_NAME: '', ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, output: () => output };
}

/** As a person does. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** Loads the page again, and waits until it is there. */
export async function reload(page: Page): Promise<void> {
  await page.reload();
  await chatIsOpen(page);
}

/** What is sent before that goes into a new chat. */
async function chatIsOpen(page: Page): Promise<void> {
  await page.locator('.ma-chat-name[aria-current=true]').waitFor();
  await page.locator('.ma-empty-chat, [aria-label="Messages"]').first().waitFor();
}

/** Drops a file of the disk onto the page. */
export async function drop(page: Page, path: string): Promise<void> {
  const holder = await page.evaluateHandle(() => {
    const input = document.createElement('input');
    input.type = 'file';
    return document.body.appendChild(input);
  });
  await holder.setInputFiles(path);
  await holder.evaluate((input) => {
    const dataTransfer = new DataTransfer();
    for (const file of input.files ?? []) dataTransfer.items.add(file);
    input.remove();
    for (const type of ['dragenter', 'dragover', 'drop']) {
      const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
      document.querySelector('#composer')?.dispatchEvent(event);
    }
  });
}
