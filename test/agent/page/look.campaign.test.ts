import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { preview, running } from './fake/data.ts';
import { hostileServers } from './fake/tools.ts';
import { inMain, useFakePage, violations } from './support.ts';

const tab = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name: 'Show the panel' }).click();
  await page.getByRole('tab', { name }).click();
};
const previewed = async (page: Page, told: object): Promise<void> => {
  await tab(page, 'Preview');
  await page.getByRole('button', { name: 'Start the app' }).waitFor();
  const origin = `http://app-1.localhost:${new URL(page.url()).port}`;
  await inMain(page, (fake, preview) => fake.tell('preview:changed', { preview }), { ...told, origin });
};
const settings = async (page: Page, name: string): Promise<void> => {
  await page.keyboard.press('Control+,');
  await page.getByRole('radio', { name, exact: true }).check();
};
const asked = async (page: Page, question: object): Promise<void> => {
  await inMain(page, (fake, question) => fake.tell('question:asked', { question }), question);
  await page.locator('[role=dialog] button:not([aria-disabled=true])').first().waitFor();
};
const diff = [
  {
    path: 'a.ts',
    change: 'added',
    added: 1,
    removed: 0,
    hunks: [{ oldStart: 0, newStart: 1, lines: [{ kind: 'added', text: 'one' }] }],
  },
];

type Options = Parameters<ReturnType<typeof useFakePage>['open']>[0];
interface Screen {
  options?: Options;
  prepare?: (page: Page) => Promise<void>;
  /** What is there when the screen is. */
  shows: string;
}

const screens: Record<string, Screen> = {
  welcome: { options: { apps: 0 }, shows: 'text=Review every change' },
  'folder picker': {
    options: { apps: 0 },
    prepare: async (page) => page.getByRole('button', { name: 'Open a folder' }).click(),
    shows: 'text=documents',
  },
  'empty chat': { options: { chat: 'empty' }, shows: 'text=What would you like to do' },
  'no model': { options: { chat: 'empty', models: 'none' }, shows: 'text=Take the tour' },
  chat: { shows: '.ma-table' },
  'ends of answers': { options: { chat: 'ends' }, shows: 'text=The answer failed' },
  proposal: {
    options: { chat: 'build' },
    prepare: async (page) => page.getByRole('button', { name: 'Review changes' }).click(),
    shows: '.ma-diff-line',
  },
  'plan to approve': { options: { chat: 'plan' }, shows: 'text=Approve and begin' },
  'plan, a step is edited': {
    options: { chat: 'plan' },
    prepare: async (page) => page.getByRole('button', { name: /^Change step 2/ }).click(),
    shows: '.ma-step-input',
  },
  'plan that is followed': {
    options: { chat: 'followed' },
    prepare: async (page) => page.locator('.ma-plan-strip summary').click(),
    shows: 'text=End this plan',
  },
  'going on from a message': {
    options: { chat: 'build' },
    prepare: async (page) => {
      await page.locator('.ma-message[data-role=user]').hover();
      await page.getByRole('button', { name: 'Edit and go on from here' }).click();
    },
    shows: 'text=Take the files back to how they were',
  },
  'continued from another chat': { options: { chat: 'continued' }, shows: 'text=The files went back to ccccccc' },
  files: { prepare: async (page) => tab(page, 'Files'), shows: 'text=src/part-0/module-0.ts' },
  editor: {
    prepare: async (page) => {
      await tab(page, 'Files');
      await page.getByText('src/part-0/module-0.ts').click();
    },
    shows: '.cm-content',
  },
  versions: { prepare: async (page) => tab(page, 'Versions'), shows: '.ma-version' },
  'one version': {
    prepare: async (page) => {
      await tab(page, 'Versions');
      await page.locator('.ma-version').first().click();
    },
    shows: '.ma-diff-line',
  },
  context: { prepare: async (page) => tab(page, 'Context'), shows: '.ma-context-file' },
  problems: {
    prepare: async (page) => {
      await tab(page, 'Problems');
      await page.getByRole('button', { name: 'Check for problems' }).click();
    },
    shows: 'text=TS2322',
  },
  'problems, nothing to lock the compiler up': {
    prepare: async (page) => {
      const message =
        'TypeScript 7.0.1 of this app is a native program that came with it, and it cannot be confined here.';
      await inMain(
        page,
        (fake, message) => {
          const unchecked = { reason: 'no-jail-native', message } as const;
          fake.answers['check-problems'] = () => ({ problems: [], more: 0, unchecked });
        },
        message,
      );
      await tab(page, 'Problems');
      await page.getByRole('button', { name: 'Check for problems' }).click();
    },
    shows: 'text=Run it with all of my rights',
  },
  'preview, off': { prepare: async (page) => tab(page, 'Preview'), shows: 'text=The app is not running' },
  'preview, nothing to start': {
    prepare: async (page) => {
      const why = 'This app has no package.json with scripts, so there is nothing to start.';
      await inMain(
        page,
        (fake, { preview, why }) => void (fake.answers['get-preview'] = () => ({ preview, scripts: [], why })),
        { preview: preview(), why },
      );
      await tab(page, 'Preview');
    },
    shows: 'text=There is nothing to start',
  },
  'preview, starting': {
    prepare: async (page) => previewed(page, preview({ state: 'starting', command: 'vite' })),
    shows: 'text=Waiting for the app to open a port',
  },
  'preview, running': {
    prepare: async (page) => previewed(page, running),
    shows: 'text=2 errors',
  },
  'preview, ended': {
    prepare: async (page) => previewed(page, preview({ state: 'ended', command: 'vite', exit: 'exit code 1' })),
    shows: 'text=The app has stopped (exit code 1)',
  },
  'question of a dev script': {
    prepare: async (page) =>
      asked(page, {
        kind: 'dev-script',
        id: 'q',
        appId: 'app-1',
        where: { app: 'shop' },
        command: '(node scripts/icons.js) && (vite --clearScreen false)',
        folder: '/home/mira/shop',
      }),
    shows: 'text=Start this app?',
  },
  models: { prepare: async (page) => settings(page, 'Models'), shows: 'text=Stored in the keychain' },
  changes: { prepare: async (page) => settings(page, 'Changes'), shows: 'text=Apply changes without asking' },
  scripts: { prepare: async (page) => settings(page, 'Scripts'), shows: 'text=Bash tools enabled' },
  tools: {
    prepare: async (page) => {
      await settings(page, 'Tools');
      await page.getByText('3 tools').click();
    },
    shows: 'text=spawn npx ENOENT',
  },
  'no servers': {
    prepare: async (page) => {
      await inMain(page, (fake) => void (fake.answers['list-servers'] = () => []));
      await settings(page, 'Tools');
    },
    shows: 'text=No servers yet',
  },
  'a server': {
    prepare: async (page) => {
      await settings(page, 'Tools');
      await page.getByRole('button', { name: 'Change tracker' }).click();
    },
    shows: 'text=Trust what it says',
  },
  'a server of lies': {
    prepare: async (page) => {
      await inMain(page, (fake, all) => void (fake.answers['list-servers'] = () => all), hostileServers);
      await settings(page, 'Tools');
      await page.getByText('401 tools').click();
    },
    shows: 'text=evil.read_file',
  },
  'scripts that call tools': { options: { chat: 'tools', waiting: true }, shows: '.ms-call-question' },
  'scripts that wait': {
    options: { waiting: true },
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: 'Scripts that wait for you' }).click();
      await page.locator('.ma-waiting-row').first().click();
    },
    shows: '[role=dialog] .ms-call-question',
  },
  'no script that waits': {
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: 'Scripts that wait for you' }).click();
    },
    shows: 'text=No script waits for you',
  },
  look: { prepare: async (page) => settings(page, 'Look'), shows: 'text=Theme' },
  'command menu': { prepare: async (page) => page.keyboard.press('Control+k'), shows: '[role=option]' },
  'question of a script': {
    prepare: async (page) =>
      asked(page, { kind: 'script', id: 'q', chatId: 'chat-1', request: { script: '1 + 1', preview: '', files: [] } }),
    shows: 'text=Run this script?',
  },
  'question of a command': {
    prepare: async (page) => asked(page, { kind: 'command', id: 'q', chatId: 'chat-1', command: 'npm test' }),
    shows: 'text=Run this command?',
  },
  'question of a write': {
    prepare: async (page) => asked(page, { kind: 'write', id: 'q', chatId: 'chat-1', title: 'Add one', files: diff }),
    shows: '[role=dialog] .ma-diff-line',
  },
  'question of a size': {
    prepare: async (page) =>
      asked(page, {
        kind: 'size',
        id: 'q',
        chatId: 'chat-1',
        summary: {
          totalBytes: 9e6,
          thresholdBytes: 1e6,
          truncateToBytes: 1e4,
          sources: [{ source: 'a.log', isPattern: false, files: 1, bytes: 9e6 }],
        },
      }),
    shows: '[role=dialog]',
  },
  offline: {
    prepare: async (page) => inMain(page, (fake) => fake.connect(false)),
    shows: '.ma-offline',
  },
  attachments: {
    prepare: async (page) => {
      const file = (name: string): { name: string; mimeType: string; buffer: Buffer } => ({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.from('1234'),
      });
      await page.locator('input[type=file]').setInputFiles([file('a.log'), file('endless.log'), file('refused.log')]);
    },
    shows: '.ms-chip[data-failed]',
  },
  pictures: { options: { chat: 'pictures' }, shows: '.ma-thumbnail > img' },
  'a picture': {
    options: { chat: 'pictures' },
    prepare: async (page) => page.getByRole('button', { name: 'Open shop.png' }).click(),
    shows: '.ma-large-picture',
  },
  'too much': { options: { chat: 'extreme' }, shows: 'text=Shown as plain text' },
  hostile: { options: { chat: 'hostile' }, shows: '.ma-markdown' },
};

/** What stands out of the page, and what scrolls sideways that should not. */
async function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // What scrolls by itself, or is cut, is not the page's.
    const own = 'pre, .ma-table, .ma-scroll, .ma-tabs, .ma-options, .ms-call-strip';
    const outside = [...document.querySelectorAll('body *')].filter((element) => {
      const { right, left, width, height } = element.getBoundingClientRect();
      const isSeen = width > 1 && height > 1 && element.checkVisibility() && !element.parentElement?.closest(own);
      return isSeen && (right > innerWidth + 1 || left < -1);
    });
    const frames = 'html, .ma-messages, .ma-panel-body, [role=dialog], .ma-rail';
    const scrolling = [...document.querySelectorAll(frames)].filter(
      ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1,
    );
    return [...outside, ...scrolling].map((element) => `${element.tagName}.${element.getAttribute('class')}`);
  });
}

const widths = [320, 768, 1280, 2560, 3840] as const;

describe.skipIf(!hasChromium)('how the page looks', () => {
  const pages = useFakePage();

  test.each(Object.entries(screens))('%s', async (_, { options = {}, prepare, shows }) => {
    const page = await pages.open({ ...options, theme: 'light' });
    if (options.apps !== 0) await page.locator('.ma-message, .ma-empty-chat').first().waitFor();
    await prepare?.(page);
    await page.locator(shows).first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.evaluate(() => Object.assign(document.documentElement.dataset, { theme: 'dark' }));
    expect(await violations(page)).toEqual([]);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      expect({ width, tooWide: await tooWide(page) }).toEqual({ width, tooWide: [] });
    }
  });

  test('from right to left the rail is on the other side, and code is not turned', async () => {
    const page = await pages.open({ dir: 'rtl', chat: 'build' });
    await page.getByRole('button', { name: 'Review changes' }).click();
    const x = async (selector: string): Promise<number> =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => element.getBoundingClientRect().x);
    await page.locator('.ma-diff-line').first().waitFor();
    expect(await x('.ma-rail')).toBeGreaterThan(await x('.ma-panel'));
    expect(
      await page
        .locator('.ma-hunks')
        .first()
        .evaluate((lines) => getComputedStyle(lines).direction),
    ).toBe('ltr');
  });

  test('what a server says shows what does not print', async () => {
    const page = await pages.open();
    await screens['a server of lies']?.prepare?.(page);
    const text = await page.getByRole('dialog').innerText();
    expect(text).toContain('evil.read_file');
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    expect(text).not.toMatch(/[\u0007\u200b\u202c\u202e]/);
    expect(text).toContain('<b>Ignore</b>');
  });

  const streaming = async (page: Page): Promise<void> => {
    await page.locator('.ma-pulse').first().waitFor();
    await inMain(page, (fake) =>
      fake.tell('chat:response:chunk', {
        chatId: 'streaming',
        messageId: 'answer',
        index: 0,
        type: 'text',
        offset: 0,
        text: 'The pool is',
      }),
    );
    await page.getByText('The pool is').waitFor();
  };
  const moving = async (page: Page): Promise<string[]> =>
    page.evaluate(() =>
      document
        .getAnimations()
        .filter(({ playState }) => playState === 'running')
        .map((animation) => (animation as CSSAnimation).animationName),
    );

  test('under reduced motion nothing moves', async () => {
    const page = await pages.open({ chat: 'streaming' });
    await streaming(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    expect(await moving(page)).toEqual([]);
  });

  test('else the end of an answer blinks, and what opens has come within 180 ms', async () => {
    const page = await pages.open({ chat: 'streaming', window: { reducedMotion: 'no-preference' } });
    await streaming(page);
    expect(await moving(page)).toContain('ma-blink');
    const started = await page.evaluateHandle(() => {
      const durations: number[] = [];
      addEventListener('animationstart', (event) => {
        const own = (event.target as Element).getAnimations().map((one) => one.effect?.getComputedTiming());
        durations.push(...own.filter((one) => one?.iterations === 1).map((one) => Number(one?.endTime)));
      });
      return durations;
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Show the panel' }).click();
    await page.getByRole('tab', { name: 'Files' }).waitFor();
    await expect.poll(async () => (await started.jsonValue()).length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...(await started.jsonValue()))).toBeLessThanOrEqual(180);
  });

  test('the policy of the server refused nothing, and nothing was thrown', () => expect(pages.problems).toEqual([]));
});
