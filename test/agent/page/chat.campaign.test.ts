import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { expectGone, expectShown, inMain, useFakePage } from './support.ts';

describe.skipIf(!hasChromium)('a chat', () => {
  const pages = useFakePage();
  const messages = (page: Page) => page.getByRole('log');
  const openChat = async (chat: string): Promise<Page> => {
    const page = await pages.open({ chat });
    await page.locator('.ma-message').first().waitFor();
    return page;
  };
  const say = async (page: Page, offset: number, text: string): Promise<void> =>
    inMain(
      page,
      (fake, { offset, text }) =>
        fake.tell('chat:response:chunk', {
          chatId: 'streaming',
          messageId: 'answer',
          index: 0,
          type: 'text',
          offset,
          text,
        }),
      { offset, text },
    );
  const ended = {
    id: 'answer',
    chatId: 'streaming',
    role: 'assistant',
    attachments: [],
    proposal: null,
    commit: null,
    usage: null,
    workPlan: null,
  };

  test('an answer streams in, is stopped, and says so', async () => {
    const page = await openChat('streaming');
    await say(page, 0, 'It is **');
    await say(page, 8, 'bold**.');
    await messages(page).locator('strong', { hasText: 'bold' }).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect
      .poll(() => inMain(page, (fake) => fake.asked.at(-1)))
      .toEqual({
        name: 'chat:cancel',
        params: { chatId: 'streaming' },
      });
    const message = {
      ...ended,
      parts: [{ type: 'text', text: 'It is **bold**.' }],
      state: 'cancelled',
      error: null,
      createdAt: '2026-03-02T10:15:00.000Z',
    };
    await inMain(page, (fake, message) => fake.tell('chat:response:end', { chatId: 'streaming', message }), message);
    await page.locator('.ma-notice', { hasText: 'You stopped this answer' }).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect
      .poll(() => inMain(page, (fake) => fake.asked.filter(({ name }) => name === 'chat:stream')))
      .toEqual([{ name: 'chat:stream', params: { chatId: 'streaming', text: 'Go on', uploads: [] } }]);
    // A question of files alone cannot be sent once more.
    const files = { ...message, id: 'files', role: 'user', parts: [], state: 'complete' };
    await inMain(page, (fake, message) => fake.tell('chat:message', { message }), files);
    await inMain(page, (fake, message) => fake.tell('chat:message', { message }), { ...message, id: 'again' });
    await expect.poll(() => page.locator('.ma-notice', { hasText: 'You stopped this answer' }).count()).toBe(2);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  test('a chunk that does not fit has the chat asked for anew', async () => {
    const page = await openChat('streaming');
    const asked = async (): Promise<number> =>
      inMain(page, (fake) => fake.asked.filter(({ name }) => name === 'get-chat').length);
    const before = await asked();
    await say(page, 400, 'from the middle');
    await expect.poll(asked).toBeGreaterThan(before);
  });

  test('a thousand messages are there, and few of them in the page', async () => {
    const page = await openChat('many');
    await messages(page).getByText('Answer 999.').waitFor();
    expect(await page.locator('.ma-message').count()).toBeLessThan(40);
    await messages(page).focus();
    await page.keyboard.press('Home');
    await messages(page).getByText('Question 0', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await messages(page).getByText('Answer 999.').waitFor();
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor({ state: 'detached' });
  });

  test('who moves away is not taken back to the end by messages that are measured', async () => {
    const page = await openChat('many');
    await messages(page).getByText('Answer 999.').waitFor();
    await messages(page).evaluate((log) => log.scrollTo(0, log.scrollHeight / 2));
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    await messages(page).evaluate(async (log) => {
      document.querySelector<HTMLElement>('.ma-jump')?.click();
      await new Promise((resolve) => requestAnimationFrame(resolve));
      log.scrollTop = 0;
    });
    await messages(page).getByText('Question 0', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    await messages(page).focus();
    await page.keyboard.press('End');
    await messages(page).getByText('Answer 999.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0);
  });

  test('the end stays in sight while the person is there, and not when they read further up', async () => {
    const page = await openChat('streaming');
    const toEnd = async (): Promise<number> =>
      messages(page).evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
    const paragraphs = 'A line of the answer.\n\n'.repeat(80);
    await say(page, 0, paragraphs);
    await expect
      .poll(() => messages(page).evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight))
      .toBeGreaterThan(600);
    await expect.poll(toEnd).toBeLessThan(33);
    await messages(page).focus();
    await page.keyboard.press('Home');
    await expect.poll(() => messages(page).evaluate(({ scrollTop }) => scrollTop)).toBe(0);
    await say(page, paragraphs.length, 'The very last words.');
    await messages(page).getByText('The very last words.').waitFor({ state: 'attached' });
    expect(await messages(page).evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  });

  test('nothing that a model or a person says becomes markup', async () => {
    const page = await openChat('hostile');
    await page.locator('.ma-markdown').first().waitFor();
    const made = await page
      .locator('.ma-messages')
      .evaluate((log) =>
        [...log.querySelectorAll('script, img, iframe, b, a, [onerror], [style*="url"]')].map(
          ({ outerHTML }) => outerHTML,
        ),
      );
    expect(made).toEqual([]);
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
    await messages(page).getByText('<script>globalThis.pwned = true</script>').first().waitFor();
    await messages(page).getByText('\\u{202e}gnp.exe').first().waitFor();
    await messages(page).getByText('entity \\u{202e}fdp.exe').first().waitFor();
    expect(await messages(page).innerHTML()).not.toMatch(/[\u202e\u3164]/);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('\\u{202e}txt.<b>hostile</b>');
  });

  test('links open beside the page, and code is copied', async () => {
    const page = await openChat('chat-1');
    const link = messages(page).getByRole('link', { name: 'the runbook' });
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await link.getAttribute('target')).toBe('_blank');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy code' }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe('const pool = createPool({ max: 10 });');
  });

  test('a deleted chat comes back by one press', async () => {
    const page = await openChat('chat-1');
    await page.getByRole('button', { name: 'Delete chat “Errors of Monday”' }).click();
    await page.getByText('Deleted chat “Errors of Monday”').waitFor();
    await page.getByText('No chat is open').or(page.getByText('What would you like to do')).first().waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectShown(page.getByRole('heading', { name: 'Errors of Monday' }));
  });

  test('without a connection it says so, and asks for everything when it is back', async () => {
    const page = await openChat('chat-1');
    await page.locator('#composer').fill('Hello');
    await inMain(page, (fake) => fake.connect(false));
    await page.getByText('The agent is not running or cannot be reached.').waitFor();
    const send = page.getByRole('button', { name: /^Send/ });
    expect(await send.getAttribute('aria-disabled')).toBe('true');
    await inMain(page, (fake) => {
      fake.asked.length = 0;
      fake.connect(true);
    });
    await page.getByText('The agent is not running').waitFor({ state: 'detached' });
    await expect.poll(() => inMain(page, (fake) => fake.asked.map(({ name }) => name))).toContain('get-chat');
    expect(await page.locator('#composer').inputValue()).toBe('Hello');
  });

  test('when the program has ended for good it says what to do', async () => {
    const page = await openChat('chat-1');
    await inMain(page, (fake) => {
      fake.answers['get-state'] = () => Promise.reject(new Error('closed'));
      fake.connect(false);
    });
    await expectShown(page.getByText('Start it again and open the address it prints.'));
  });

  test('what the server refuses is told in its words', async () => {
    const page = await pages.open({ chat: 'chat-1' });
    await inMain(page, (fake) => {
      fake.answers['create-chat'] = () => Promise.reject(new Error('boom'));
    });
    await page.getByRole('button', { name: 'New chat', exact: true }).first().click();
    await page.getByText('Something went wrong in the page: boom.').waitFor();
    await page.locator('.ma-toast').getByRole('button', { name: 'Dismiss' }).click();
    await expectGone(page.getByText('Something went wrong'));
  });

  test('a script that waits is said to wait, and one that failed goes back with what it was', async () => {
    const page = await openChat('streaming');
    const at = '2026-03-02T10:15:00.000Z';
    const identity = { at, runId: 'r', scriptHash: 'h' };
    const tell = async (events: object[]): Promise<void> =>
      inMain(
        page,
        (fake, events) => {
          for (const event of events) fake.tell('chat:run', { chatId: 'streaming', event });
        },
        events,
      );
    await inMain(page, (fake) => {
      const part = { type: 'script', runId: 'r', record: null };
      fake.tell('chat:response:part', { chatId: 'streaming', messageId: 'answer', index: 0, part });
    });
    const said = page.locator('.ms-card > [aria-live=polite]');
    await tell([{ ...identity, type: 'card.called', script: 'boom()' }]);
    await said.waitFor({ state: 'attached' });
    // It may wait for files, or for the questions before it: nothing has started.
    expect(await said.textContent()).toBe('');
    await tell([{ ...identity, type: 'sandbox.script.asked' }]);
    await expect.poll(() => said.textContent()).toMatch(/^A script waits for your permission/);
    await tell([{ ...identity, type: 'sandbox.script.run', scriptBytes: 6, attachments: 0 }]);
    await expect.poll(() => said.textContent()).toMatch(/^Script started/);
    const error = { code: 'script_error', message: 'boom is not defined', text: 'It failed.' };
    const record = { version: 1, runId: 'r', script: 'boom()', at, stats: { durationMs: 5 }, error };
    await tell([{ at, runId: 'r', type: 'card.answered', record }]);
    await inMain(
      page,
      (fake, record) => {
        const part = { type: 'script', runId: 'r', record };
        fake.tell('chat:response:part', { chatId: 'streaming', messageId: 'answer', index: 0, part });
      },
      record,
    );
    await page.getByRole('button', { name: 'Retry with guidance' }).click();
    await page.getByLabel('What should the model do differently?').fill('Call bang() instead.');
    await page.locator('.ms-guidance').getByRole('button', { name: 'Send' }).click();
    const text =
      'Call bang() instead.\n\nThis is about the script that failed with “boom is not defined”:\n\n```js\nboom()\n```';
    await expect
      .poll(() => inMain(page, (fake) => fake.asked.filter(({ name }) => name === 'chat:stream')))
      .toEqual([{ name: 'chat:stream', params: { chatId: 'streaming', text, uploads: [] } }]);
  });

  test('the end stays in sight when a card that has ended takes less room, and more text comes at once', async () => {
    const page = await pages.open({ chat: 'streaming' });
    await page.locator('.ma-message').first().waitFor();
    const rounds = await inMain(page, async (fake) => {
      const frame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => resolve()));
      const text = (lines: number) => ({ type: 'text', text: 'a line\n\n'.repeat(lines) });
      const tell = (index: number, part: object): void =>
        fake.tell('chat:response:part', { chatId: 'streaming', messageId: 'answer', index, part });
      const failed = { type: 'tool', callId: 'c', name: 'x', title: 'x', state: 'failed', detail: 'why\n'.repeat(8) };
      tell(0, text(40));
      tell(1, text(10));
      await frame();
      for (let round = 0; round < 20; round++) {
        for (const [index, part] of [
          [1, text(3)],
          [2, failed],
          [3, text(20)],
          [3, text(2)],
          [1, text(10)],
        ] as const) {
          tell(index, part);
          // As many frames between two changes as chance has it.
          for (let count = round % 3; count > 0; count--) await frame();
        }
      }
      return 20;
    });
    expect(rounds).toBe(20);
    const toEnd = (): Promise<number> =>
      page.locator('.ma-messages').evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight);
    await expect.poll(toEnd).toBeLessThanOrEqual(1);
    expect(await page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0);
    // A person still goes where they like.
    await page.locator('.ma-messages').hover();
    await page.mouse.wheel(0, -300);
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    await inMain(page, (fake) => {
      const part = { type: 'text', text: 'a line\n\n'.repeat(60) };
      fake.tell('chat:response:part', { chatId: 'streaming', messageId: 'answer', index: 3, part });
    });
    await expect.poll(toEnd).toBeGreaterThan(300);
  });

  test('nothing was thrown or logged in all of this', () => expect(pages.problems).toEqual([]));
});
