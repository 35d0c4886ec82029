import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { expectGone, expectShown, inMain, useFakePage } from './support.ts';

describe.skipIf(!hasChromium)('what a person does', () => {
  const pages = useFakePage();
  const open = async (chat = 'chat-1'): Promise<Page> => {
    const page = await pages.open({ chat });
    await page.locator('.ma-message, .ma-empty-chat').first().waitFor();
    return page;
  };
  /** The params of all calls of a channel. */
  const asked = async (page: Page, name: string): Promise<unknown[]> =>
    inMain(page, (fake, name) => fake.asked.filter((call) => call.name === name).map(({ params }) => params), name);
  const focused = async (page: Page): Promise<string> =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id ?? '');
  const tab = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Show the panel' }).click();
    await page.getByRole('tab', { name }).click();
  };
  const isInSight = async (locator: Locator): Promise<boolean> =>
    locator.evaluate((element) => {
      const [box, list] = [element, element.closest('.ma-messages')!].map((one) => one.getBoundingClientRect());
      return box!.top >= list!.top - 1 && box!.bottom <= list!.bottom + 1;
    });
  const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('1234') });

  describe('in the message box', () => {
    test('Enter sends, Shift+Enter begins a line, and a composition is left alone', async () => {
      const page = await open();
      const box = page.locator('#composer');
      await box.fill('One');
      await box.press('Shift+Enter');
      await box.pressSequentially('two');
      expect(await box.inputValue()).toBe('One\ntwo');
      await box.evaluate((element) => {
        const composing = { key: 'Enter', bubbles: true, cancelable: true, isComposing: true };
        element.dispatchEvent(new KeyboardEvent('keydown', composing));
      });
      await box.press('Enter');
      await expect
        .poll(() => asked(page, 'chat:stream'))
        .toEqual([{ chatId: 'chat-1', text: 'One\ntwo', uploads: [] }]);
      await expect.poll(() => box.inputValue()).toBe('');
    });

    test('Enter twice in a row makes one chat and sends the text once, also where making one takes its time', async () => {
      const page = await pages.open({ chat: 'none' });
      await page.locator('.ma-message').first().waitFor();
      await inMain(page, (fake) => {
        const promise = new Promise<void>((resolve) => Object.assign(fake, { goOn: resolve }));
        const made = {
          id: 'empty',
          appId: 'app-1',
          title: 'New chat',
          mode: 'agent',
          model: null,
          initialCommit: null,
        };
        const at = '2026-03-02T10:15:00.000Z';
        fake.answers['create-chat'] = () =>
          promise.then(() => ({ ...made, streaming: false, createdAt: at, updatedAt: at }));
        fake.tell('chat:deleted', { chatId: 'chat-1', appId: 'app-1' });
      });
      await page.locator('.ma-empty-chat').waitFor();
      await page.locator('#composer').fill('Only once');
      await page.locator('#composer').press('Enter');
      await page.locator('#composer').press('Enter');
      await inMain(page, (fake) => (fake as unknown as { goOn: () => void }).goOn());
      await expect
        .poll(() => asked(page, 'chat:stream'))
        .toEqual([{ chatId: 'empty', text: 'Only once', uploads: [] }]);
      await expect.poll(() => page.locator('#composer').inputValue()).toBe('');
      expect(await asked(page, 'create-chat')).toHaveLength(1);
      expect(await asked(page, 'chat:stream')).toHaveLength(1);
    });

    test('during an answer a message waits; it is changed, removed with a way back, and sent now, by keyboard', async () => {
      const page = await open('streaming');
      await page.locator('#composer').fill('And then');
      await page.locator('#composer').press('Enter');
      await expect
        .poll(() => asked(page, 'queue-message'))
        .toEqual([{ chatId: 'streaming', text: 'And then', uploads: [] }]);
      expect(await asked(page, 'chat:stream')).toEqual([]);
      const queue = page.getByRole('region', { name: 'Queued messages' });
      await queue.getByRole('button', { name: 'Change: Then raise the size of the pool' }).press('Enter');
      await queue.getByRole('textbox', { name: 'Queued message' }).fill('Then raise it');
      await queue.getByRole('textbox', { name: 'Queued message' }).press('Enter');
      await expect
        .poll(() => asked(page, 'edit-queued'))
        .toEqual([{ chatId: 'streaming', id: 'q-1', text: 'Then raise it' }]);
      await queue.getByRole('button', { name: /^Send now: And compare/ }).press('Enter');
      await expect.poll(() => asked(page, 'send-queued')).toEqual([{ chatId: 'streaming', id: 'q-2' }]);
      await queue.getByRole('button', { name: 'Remove: Then raise the size of the pool' }).press('Enter');
      await expect.poll(() => asked(page, 'remove-queued')).toEqual([{ chatId: 'streaming', id: 'q-1' }]);
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect
        .poll(() => asked(page, 'queue-message').then((all) => all.at(-1)))
        .toEqual({ chatId: 'streaming', text: 'Then raise the size of the pool', uploads: [] });
      await inMain(page, (fake) => fake.tell('chat:queue', { chatId: 'streaming', queue: [] }));
      await expectGone(queue);
    });

    test('what could not be sent is still there', async () => {
      const page = await open();
      await inMain(page, (fake) => {
        fake.answers['chat:stream'] = () => Promise.reject(new Error('no'));
      });
      await page.locator('#composer').fill('Keep me');
      await page.locator('#composer').press('Enter');
      await page.locator('.ma-toast').waitFor();
      expect(await page.locator('#composer').inputValue()).toBe('Keep me');
    });

    test('each chat keeps its draft, also when the page is loaded again', async () => {
      const page = await open();
      await page.locator('#composer').fill('Draft of one');
      await page.getByRole('button', { name: 'The total of an order', exact: true }).click();
      await expect.poll(() => page.locator('#composer').inputValue()).toBe('');
      await page.getByRole('button', { name: 'Errors of Monday', exact: true }).click();
      await expect.poll(() => page.locator('#composer').inputValue()).toBe('Draft of one');
      await page.reload();
      await expect.poll(() => page.locator('#composer').inputValue()).toBe('Draft of one');
    });

    test('files are stored at once, told apart by their names, and sent by their ids', async () => {
      const page = await open();
      const picker = page.locator('input[type=file]');
      await picker.setInputFiles([file('a.log'), file('endless.log')]);
      await picker.setInputFiles([file('a.log')]);
      await page.getByText('a (2).log').waitFor();
      await page.getByText('Files are still being attached.').first().waitFor();
      await page.getByRole('button', { name: 'Remove endless.log' }).click();
      await page.locator('#composer').press('Enter');
      await expect
        .poll(() => asked(page, 'chat:stream'))
        .toEqual([{ chatId: 'chat-1', text: '', uploads: ['upload-a.log', 'upload-a (2).log'] }]);
      await page.locator('.ms-chip', { hasText: 'a (2).log' }).waitFor({ state: 'detached' });
      expect(await asked(page, 'discard-upload')).toEqual([]);
    });

    test('a file that is taken off is forgotten by the server, too', async () => {
      const page = await open();
      await page.locator('input[type=file]').setInputFiles([file('a.log'), file('b.log')]);
      await page.getByRole('button', { name: 'Remove a.log' }).click();
      await expect.poll(() => asked(page, 'discard-upload')).toEqual([{ chatId: 'chat-1', uploadId: 'upload-a.log' }]);
      await page.locator('#composer').press('Enter');
      await expect
        .poll(() => asked(page, 'chat:stream'))
        .toEqual([{ chatId: 'chat-1', text: '', uploads: ['upload-b.log'] }]);
    });

    test('the tip says what the model will see of the file in this mode, and under these settings', async () => {
      const page = await open();
      await page.locator('input[type=file]').setInputFiles([file('a.log')]);
      const tip = page.locator('.ma-composer').getByRole('note');
      await expectShown(tip.getByText('runs small scripts over it, and sees only their answers'));
      await page.getByRole('radio', { name: 'Ask' }).check();
      await expectShown(tip.getByText('its whole content becomes part of the message'));
      expect(await tip.textContent()).toContain('The model sees all of the file');
      // Who has read the one has not read the other.
      await page.getByRole('radio', { name: 'Agent' }).check();
      await tip.getByRole('button', { name: 'Dismiss' }).click();
      await expectGone(tip);
      await page.getByRole('radio', { name: 'Build' }).check();
      await expectShown(tip.getByText('its whole content becomes part of the message'));
      await page.getByRole('radio', { name: 'Agent' }).check();
      await inMain(page, async (fake) => {
        const settings = await fake.invoke('update-settings', {
          scripts: { enabled: true, consent: 'never', timeoutMs: 2000 },
        });
        fake.tell('settings:changed', { settings });
      });
      await expectShown(tip.getByText('The model looks up lines in it, and sees only those.'));
    });

    test('a dropped file is attached, and a failed one says why', async () => {
      const page = await open();
      const transfer = await page.evaluateHandle(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['1234'], 'refused.log'));
        return transfer;
      });
      await page.dispatchEvent('.ma-messages', 'dragenter', { dataTransfer: transfer });
      await page.getByText('Drop files to attach them').waitFor();
      await page.dispatchEvent('.ma-messages', 'drop', { dataTransfer: transfer });
      await page.locator('.ms-chip[data-failed]').waitFor();
      await expectShown(page.getByText('Remove the file that could not be stored').first());
    });
  });

  describe('by keyboard alone', () => {
    test('the command menu finds chats, files and actions, and gives the focus back', async () => {
      const page = await open();
      await page.locator('#composer').focus();
      await page.keyboard.press('Control+k');
      await expect.poll(() => focused(page)).toBe('Type a command, a chat or a file');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect.poll(() => focused(page)).toBe('Message');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('total of');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'The total of an order' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('module-3.ts');
      await page.getByRole('option', { name: 'Open src/part-3/module-3.ts' }).waitFor();
      await page.keyboard.press('Enter');
      await page.locator('.cm-content').waitFor();
    });

    test('Escape closes the topmost thing and only that', async () => {
      const page = await open();
      await tab(page, 'Versions');
      await page.keyboard.press('Control+,');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect
        .poll(() => page.getByRole('tab', { name: 'Versions' }).evaluate((tab) => tab === document.activeElement))
        .toBe(true);
      await page.keyboard.press('Escape');
      await page.locator('.ma-panel').waitFor({ state: 'detached' });
      await expect.poll(() => focused(page)).toBe('Message');
    });

    test('arrows choose a tab, and j and k a file of a diff', async () => {
      const page = await open('build');
      await tab(page, 'Changes');
      await page.keyboard.press('ArrowRight');
      await page.getByRole('tab', { name: 'Preview', selected: true }).waitFor();
      await page.keyboard.press('ArrowLeft');
      await page.locator('.ma-file').first().waitFor();
      await page.locator('.ma-diff-files button').first().focus();
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      const path = async (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '');
      await expect.poll(path).toContain('src/orders/discount.ts');
      await page.keyboard.press('o');
      await expect.poll(() => page.locator('.ma-file').nth(1).getAttribute('open')).toBeNull();
      await page.keyboard.press('k');
      await expect.poll(path).toContain('src/orders/total.ts');
    });
  });

  describe('with proposals', () => {
    test.each([
      ['Approve', 'approve-proposal'],
      ['Reject', 'reject-proposal'],
    ])('%s asks main, and waits for it', async (button, channel) => {
      const page = await open('build');
      await inMain(
        page,
        (fake, channel) => {
          const never = (): Promise<never> => new Promise(() => {});
          Object.assign(fake.answers, { [channel]: never });
        },
        channel,
      );
      await page.getByRole('button', { name: button, exact: true }).click();
      await expect.poll(() => asked(page, channel)).toEqual([{ chatId: 'build', messageId: expect.any(String) }]);
      await expect
        .poll(() => page.getByRole('button', { name: /^Approve/ }).getAttribute('aria-disabled'))
        .toBe('true');
    });
  });

  describe('with files', () => {
    const edit = async (page: Page): Promise<void> => {
      await tab(page, 'Files');
      await page.getByRole('button', { name: 'src/part-1/module-1.ts', exact: true }).click();
      await page.locator('.cm-content').click();
      await page.keyboard.press('Control+Home');
      await page.keyboard.type('// mine');
      await page.locator('.ma-editor-foot').getByText('Not saved').waitFor();
    };

    test('saving sends what was read and what it is now, by keyboard too', async () => {
      const page = await open();
      await edit(page);
      await page.keyboard.press('Control+s');
      await page.getByText('Saved as ccccccc').waitFor();
      expect(await asked(page, 'edit-app-file')).toEqual([
        {
          appId: 'app-1',
          path: 'src/part-1/module-1.ts',
          content: '// mine// src/part-1/module-1.ts\nexport const one: number = 1;\n',
          hash: 'hash-1',
        },
      ]);
    });

    test('what is not saved is there after another file was looked at', async () => {
      const page = await open();
      await edit(page);
      await page.getByRole('button', { name: 'All files' }).click();
      await page
        .getByRole('button', { name: /^src.part-1.module-1.ts/ })
        .getByText('Not saved')
        .waitFor();
      await page.getByRole('button', { name: 'src/part-0/module-0.ts', exact: true }).click();
      await page.getByRole('button', { name: 'All files' }).click();
      await page.getByRole('button', { name: /^src.part-1.module-1.ts/ }).click();
      await expectShown(page.locator('.cm-content').getByText('// mine'));
    });

    test('a file that another has changed is not overwritten unasked', async () => {
      const page = await open();
      await edit(page);
      await inMain(page, (fake) => {
        fake.answers['read-app-file'] = () => ({ content: 'theirs\n', hash: 'hash-9' });
        fake.tell('app:files-changed', { appId: 'app-1' });
      });
      await page.getByText('The file was changed on the disk').waitFor();
      await page.locator('.cm-content').getByText('// mine').waitFor();
      await page.getByRole('button', { name: 'Save over it' }).click();
      await page.getByText('Saved as').waitFor();
      expect(await asked(page, 'edit-app-file')).toMatchObject([{ hash: 'hash-9' }]);
    });

    test('an untouched file is shown as it is now', async () => {
      const page = await open();
      await tab(page, 'Files');
      await page.getByRole('button', { name: 'src/part-1/module-1.ts', exact: true }).click();
      await page.locator('.cm-content').waitFor();
      await inMain(page, (fake) => {
        fake.answers['read-app-file'] = () => ({ content: 'theirs\n', hash: 'hash-9' });
        fake.tell('app:files-changed', { appId: 'app-1' });
      });
      await expectShown(page.locator('.cm-content').getByText('theirs'));
    });

    test('a problem leads to its line', async () => {
      const page = await open();
      await tab(page, 'Problems');
      await page.getByRole('button', { name: 'Check for problems' }).click();
      await page.getByRole('button', { name: /TS2322/ }).click();
      await expectShown(page.locator('.cm-activeLine').getByText('export const one'));
    });

    test('a compiler that nothing can lock up runs with all rights only when the person says so', async () => {
      const page = await open();
      await inMain(page, (fake) => {
        const none = { problems: [], more: 0 };
        const found = { path: 'src/a.ts', line: 2, column: 14, code: 'TS2322', message: 'not assignable' };
        fake.answers['check-problems'] = ({ allowUnjailed }) =>
          allowUnjailed === 'everything'
            ? { ...none, problems: [found], unchecked: null }
            : { ...none, unchecked: { reason: 'no-jail-native', message: 'It is a native program.' } };
      });
      await tab(page, 'Problems');
      await page.getByRole('button', { name: 'Check for problems' }).click();
      await page.getByText('It is a native program.').waitFor();
      await page.getByRole('button', { name: 'Check again' }).click();
      await expect.poll(async () => (await asked(page, 'check-problems')).length).toBe(2);
      await page.getByRole('button', { name: 'Run it with all of my rights' }).click();
      await expectShown(page.getByRole('button', { name: /TS2322/ }));
      expect(await asked(page, 'check-problems')).toEqual([
        { appId: 'app-1' },
        { appId: 'app-1' },
        { appId: 'app-1', allowUnjailed: 'everything' },
      ]);
    });

    test('ten thousand of them are a list of a few rows', async () => {
      const page = await pages.open({ files: 10_000 });
      await tab(page, 'Files');
      await page.getByText('src/part-0/module-0.ts').waitFor();
      expect(await page.locator('.ma-versions .ma-list-row').count()).toBeLessThan(100);
      await page.getByRole('searchbox').fill('module-9999');
      await page.getByText('src/part-3/module-9999.ts').waitFor();
    });
  });

  describe('with settings and questions', () => {
    /** When the question takes answers. */
    const ready = async (page: Page): Promise<void> =>
      page.getByRole('dialog').locator('[data-safe][aria-disabled=false]').waitFor();
    test('a key goes in and is never shown', async () => {
      const page = await open();
      await page.keyboard.press('Control+,');
      await page.getByLabel('Key for OpenAI').fill('sk-secret');
      await page.getByLabel('Key for OpenAI').press('Enter');
      await expect.poll(() => asked(page, 'set-key')).toEqual([{ provider: 'openai', key: 'sk-secret' }]);
      await expect.poll(() => page.getByLabel('Key for OpenAI').inputValue()).toBe('');
      expect(await page.content()).not.toContain('sk-secret');
    });

    test('what is wrong with a server is said at the server', async () => {
      const page = await pages.open({ models: 'none' });
      await inMain(page, (fake) => {
        const problems = [
          { provider: 'office', text: 'Nothing answers at 127.0.0.1:9: the connection was refused.' },
          { provider: 'anthropic', text: 'Anthropic does not accept the key (401).' },
        ];
        const unset = { contextWindow: null, price: null, options: null };
        const models = [{ id: 'tour', label: 'Tour', provider: 'None', ...unset }];
        fake.answers['list-models'] = () => ({ models, problems });
      });
      await page.keyboard.press('Control+,');
      await page.getByRole('button', { name: 'Look again' }).click();
      await expectShown(page.getByText('None yet. Start Ollama'));
      await expectShown(page.getByRole('region', { name: 'Office' }).getByText('Nothing answers at 127.0.0.1:9'));
      await expectShown(page.getByText('Anthropic does not accept the key (401).'));
    });

    test('a server is added by keyboard with its headers, and a stored value stays where none is typed', async () => {
      const page = await open();
      await page.keyboard.press('Control+,');
      await page.getByRole('button', { name: 'Add a server' }).press('Enter');
      const form = page.getByRole('form', { name: 'Model server' });
      await form.getByLabel('Name', { exact: true }).fill('Home');
      await form.getByLabel('Address').fill('http://10.0.0.2:8080/v1');
      await form.getByLabel('Key', { exact: true }).fill('sk-secret');
      await form.getByLabel('Model names').fill('llama\n\n qwen ');
      await form.getByRole('button', { name: 'Add', exact: true }).press('Enter');
      const headers = form.getByRole('group', { name: 'Headers' });
      await headers.getByRole('textbox', { name: 'Name' }).fill('x-team');
      await headers.getByLabel('Value of x-team').fill('blue');
      await form.getByLabel('Key', { exact: true }).press('Enter');
      const server = { name: 'Home', url: 'http://10.0.0.2:8080/v1', models: ['llama', 'qwen'] };
      await expect
        .poll(() => asked(page, 'save-model-server'))
        .toEqual([{ id: null, server: { ...server, key: 'sk-secret', headers: { 'x-team': 'blue' } } }]);
      await page.getByRole('button', { name: 'Change Office' }).click();
      await form.getByLabel('Name', { exact: true }).first().fill('Bureau');
      await form.getByRole('button', { name: 'Save' }).click();
      await expect
        .poll(() => asked(page, 'save-model-server').then((all) => all.at(-1)))
        .toEqual({
          id: 'office',
          server: {
            name: 'Bureau',
            url: 'https://models.example.org/v1',
            models: ['deepseek-v3'],
            headers: { 'x-team': null },
          },
        });
      expect(await page.content()).not.toContain('sk-secret');
    });

    test('the price and the window of a model are set, and what is no number is told', async () => {
      const page = await open();
      await page.keyboard.press('Control+,');
      await page.getByLabel('Model limits and prices').selectOption('anthropic:claude-sonnet-4-5');
      expect(await page.getByRole('textbox', { name: 'Context window' }).inputValue()).toBe('200000');
      await page.getByRole('textbox', { name: 'Context window' }).fill('lots');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expectShown(page.getByText('“Context window” is not a number.'));
      await page.getByRole('textbox', { name: 'Context window' }).fill('100,000');
      await page.getByLabel('Price of cached input').fill('');
      await page.getByLabel('Effort').selectOption('high');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expectShown(page.getByText('Saved', { exact: true }));
      expect(await asked(page, 'set-model-options')).toEqual([
        {
          model: 'anthropic:claude-sonnet-4-5',
          options: {
            contextWindow: 100_000,
            maxTokens: null,
            temperature: null,
            effort: 'high',
            price: { input: 3, output: 15, cached: 3 },
          },
        },
      ]);
    });

    test('an answer and a chat say what they took, and the bar how full the window is', async () => {
      const page = await open();
      await expectShown(page.getByText('22.3K tokens, $0.04').first());
      const meter = page.getByRole('meter', { name: 'Context window' });
      expect(await meter.getAttribute('aria-valuetext')).toBe('11.4K of 32K tokens, 36 %');
    });

    test('scripts are one choice, the size of a large message is set, and the folder of attachments opens', async () => {
      const page = await open();
      await page.keyboard.press('Control+,');
      await page.getByRole('radio', { name: 'Scripts', exact: true }).check();
      const permission = page.getByRole('group', { name: 'Scripts', exact: true });
      await permission.getByRole('radio', { name: 'Never allow' }).click();
      await permission.getByRole('radio', { name: 'Always allow' }).click();
      const size = page.getByRole('textbox', { name: 'Large messages' });
      expect(await size.inputValue()).toBe('512');
      for (const [typed, shown] of [
        ['0', '512'],
        ['many', '512'],
        ['64', '64'],
      ] as const) {
        await size.fill(typed);
        await size.press('Enter');
        await expect.poll(() => size.inputValue()).toBe(shown);
      }
      await page.getByRole('button', { name: 'Open folder' }).click();
      await expect.poll(() => asked(page, 'open-attachments')).toEqual([{}]);
      const of = (scripts: object): object => ({ scripts: expect.objectContaining(scripts) as object });
      expect(await asked(page, 'update-settings')).toEqual([
        of({ enabled: false, consent: 'never' }),
        of({ enabled: true, consent: 'always' }),
        { sizeThreshold: 64 * 1024 },
      ]);
    });

    test('a setting that the server refuses is as it was', async () => {
      const page = await open();
      await page.keyboard.press('Control+,');
      await page.getByRole('radio', { name: 'Changes' }).check();
      await inMain(page, (fake) => {
        fake.answers['update-settings'] = () => Promise.reject(new Error('no'));
      });
      const box = page.getByRole('switch', { name: 'Apply changes without asking' });
      await box.click();
      await page.locator('.ma-toast').waitFor();
      expect(await box.isChecked()).toBe(false);
    });

    test('questions come one at a time, Escape denies, and another window can answer', async () => {
      const page = await open();
      await page.locator('#composer').focus();
      await inMain(page, (fake) => {
        const script = { script: '1 + 1', preview: '', files: [] };
        fake.tell('question:asked', { question: { kind: 'command', id: 'q1', chatId: 'chat-1', command: 'ls\u202E' } });
        fake.tell('question:asked', { question: { kind: 'script', id: 'q2', chatId: 'chat-1', request: script } });
        fake.tell('question:asked', { question: { kind: 'command', id: 'q3', chatId: 'chat-1', command: 'pwd' } });
        fake.answers['answer-question'] = ({ id }) => fake.tell('question:closed', { id });
      });
      await page.getByText('ls\\u{202e}').waitFor();
      expect(await page.getByRole('dialog').count()).toBe(1);
      await ready(page);
      await page.keyboard.press('Escape');
      await page.getByText('Run this script?').waitFor();
      await page.getByRole('dialog').locator('button[aria-disabled=false]', { hasText: 'Allow once' }).click();
      await page.getByText('pwd').waitFor();
      await inMain(page, (fake) => fake.tell('question:closed', { id: 'q3' }));
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await asked(page, 'answer-question')).toEqual([
        { id: 'q1', answer: 'deny' },
        { id: 'q2', answer: 'allow-once' },
      ]);
    });

    test('versions can be those of this chat, and it is said that there are older ones', async () => {
      const page = await open();
      await inMain(page, (fake) => {
        const at = '2026-03-02T10:15:00.000Z';
        const own = { commit: 'e'.repeat(40), message: 'By this chat', author: 'Mira', at, messageId: 'mine' };
        const other = { ...own, commit: 'f'.repeat(40), message: 'By another', messageId: 'theirs' };
        const first = { ...own, commit: '1'.repeat(40), message: 'Where it began', messageId: null };
        fake.answers['list-versions'] = ({ chatId }) =>
          chatId === 'chat-1' ? { versions: [own, first], more: false } : { versions: [own, other, first], more: true };
      });
      await tab(page, 'Versions');
      await expectShown(page.getByText('These are the last 3 versions. There are older ones in git.'));
      await expect.poll(() => page.locator('.ma-version').count()).toBe(3);
      await page.getByRole('switch', { name: 'Only this chat' }).check();
      await expect
        .poll(() => page.locator('.ma-version-subject').allTextContents())
        .toEqual(['By this chat', 'Where it began']);
      await page.getByRole('tab', { name: 'Context' }).click();
      await expectShown(page.getByText('AI_RULES.md goes into every prompt, too: 312 tokens.'));
    });

    test('versions of a package say of which repository they are', async () => {
      const page = await open();
      await inMain(page, (fake) => {
        const app = { id: 'app-1', name: 'web', path: '/home/mira/shop/packages/web', git: true };
        const context = { include: [], exclude: [], strict: false };
        const at = '2026-03-02T10:15:00.000Z';
        const more = { repository: '/home/mira/shop', context, createdAt: at, updatedAt: at };
        fake.tell('app:changed', { app: { ...app, ...more } });
        fake.answers['list-versions'] = () => ({ versions: [], more: true });
      });
      await tab(page, 'Versions');
      await expectShown(page.getByText('The commits of /home/mira/shop that change this folder'));
      await expectShown(page.getByText('None of the last commits changes this folder. There are older ones in git.'));
    });

    test('nothing is invisible in what a server, a compiler or a path makes of an error', async () => {
      const page = await open();
      await inMain(page, (fake) => {
        const why = 'x\u3164 and y\u202egnp.exe and z\u{e0041}';
        const proposal = { state: 'failed', summary: '', files: [], dependencies: [], commands: [], problems: null };
        const unchecked = { reason: 'failed', message: why };
        const message = {
          ...{
            id: 'odd',
            chatId: 'chat-1',
            role: 'assistant',
            attachments: [],
            commit: null,
            usage: null,
            workPlan: null,
            parts: [],
          },
          ...{ state: 'failed', error: why, createdAt: '2026-03-02T10:15:00.000Z' },
          proposal: { ...proposal, error: why, unchecked: why },
        };
        fake.tell('chat:response:end', { chatId: 'chat-1', message });
        fake.answers['list-versions'] = () => Promise.reject(new Error(why));
        fake.answers['check-problems'] = () => ({ problems: [], more: 0, unchecked });
      });
      const isShown = async (count: number): Promise<void> => {
        await expect.poll(() => page.getByText('gnp.exe').count()).toBe(count);
        expect(await page.locator('body').innerText()).not.toMatch(/[\u3164\u202e\u{e0041}]/u);
      };
      await isShown(2);
      await page.getByRole('article').last().getByRole('button', { name: 'Review changes' }).click();
      await isShown(4);
      await page.getByRole('tab', { name: 'Versions' }).click();
      await isShown(3);
      await page.getByRole('tab', { name: 'Problems' }).click();
      await page.getByRole('button', { name: 'Check for problems' }).click();
      await isShown(3);
    });

    test('the context says what is left out of it, and of the list', async () => {
      const page = await open();
      await inMain(page, (fake) => {
        const file = { path: 'a.bin', bytes: 4, tokens: 0, omitted: 'binary' };
        const rules = [{ path: 'AI_RULES.md', tokens: 312, cut: true }];
        const context = { files: [file], tokens: 0, taken: 0, omitted: 5, complete: false, rules, skills: [] };
        fake.answers['get-context'] = () => context;
        fake.answers['set-context'] = () => ({ ...context, files: [], omitted: 0, complete: true, rules: [] });
      });
      await tab(page, 'Context');
      for (const text of [
        '5 files left out',
        'Only the first 1 file are listed. The numbers count all files.',
        'It is too long, so its end is left out',
        'This app has more than 100,000 files.',
        'binary',
      ]) {
        await expectShown(page.getByText(text));
      }
      await page.getByRole('button', { name: 'Save patterns' }).click();
      await expectShown(page.getByText('No file goes into the prompt.'));
    });

    test('a script that is run again stands beneath the first run, in sight, and can be stopped', async () => {
      const page = await pages.open({ chat: 'chat-1', window: { viewport: { width: 900, height: 420 } } });
      await page.locator('.ma-message .ms-card').first().waitFor();
      await inMain(page, (fake) => {
        fake.answers['rerun-script'] = () => {
          const event = { type: 'card.called', at: '2026-03-02T10:15:00.000Z', runId: 'again', script: '1 + 1' };
          fake.tell('chat:run', { chatId: 'chat-1', event: { ...event, rerunOf: 'run-1' } });
          return { runId: 'again' };
        };
      });
      const first = page.locator('.ma-message .ms-card').first();
      // At the lower edge of what is seen, so that what comes beneath it is not.
      await first.evaluate((card) => card.scrollIntoView({ block: 'end' }));
      await first.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Re-run' }).click();
      const again = page.locator('.ma-rerun');
      await expect.poll(() => isInSight(again)).toBe(true);
      expect(await first.evaluate((card) => card.nextElementSibling?.className)).toBe('ma-reruns');
      await page.getByRole('button', { name: 'Stop the script' }).click();
      await expect.poll(() => asked(page, 'stop-script')).toEqual([{ chatId: 'chat-1', runId: 'again' }]);
      // It fails, which opens its card: also that is in sight.
      await inMain(page, (fake) => {
        const at = '2026-03-02T10:15:00.000Z';
        const error = { code: 'script_error', message: 'boom is not defined', text: 'It failed.' };
        const record = { version: 1, runId: 'again', script: 'boom()', at, stats: { durationMs: 5 }, error };
        fake.tell('chat:run', { chatId: 'chat-1', event: { type: 'card.answered', at, runId: 'again', record } });
      });
      await again.getByText('boom is not defined').first().waitFor();
      await expect.poll(() => isInSight(again)).toBe(true);
      await inMain(page, (fake) => {
        const at = '2026-03-02T10:15:00.000Z';
        fake.tell('chat:run', { chatId: 'chat-1', event: { type: 'card.gone', at, runId: 'again' } });
      });
      await again.waitFor({ state: 'detached' });
    });

    test('what was run again is there when the page is loaded again', async () => {
      const page = await open();
      const record = {
        version: 1,
        runId: 'again',
        script: '1 + 1',
        at: '2026-03-02T10:15:00.000Z',
        stats: { durationMs: 5 },
      };
      await inMain(
        page,
        async (fake, record) => {
          const usual = await fake.invoke('get-chat', { chatId: 'chat-1' });
          const reruns = [{ runId: 'again', rerunOf: 'run-1', record }];
          fake.answers['get-chat'] = () => ({ ...usual, reruns });
          fake.connect(false);
          fake.connect(true);
        },
        { ...record, result: { text: '2', truncated: false } },
      );
      const again = page.getByRole('region', { name: 'You ran this again. The model does not see it.' });
      await again.locator('.ms-card-trigger[aria-label*="success"]').waitFor();
      expect(await again.getByRole('button', { name: 'Stop the script' }).count()).toBe(0);
    });

    test('the strip about the first script stands in its question, and goes with the answer', async () => {
      const page = await open();
      const ask = async (id: string): Promise<void> =>
        inMain(
          page,
          (fake, id) => {
            const request = { script: '1 + 1', preview: '', files: [] };
            fake.answers['answer-question'] = ({ id }) => fake.tell('question:closed', { id });
            fake.tell('question:asked', { question: { kind: 'script', id, chatId: 'chat-1', request } });
          },
          id,
        );
      await ask('q1');
      await page.getByRole('dialog').getByText('The model wants to run its first script').waitFor();
      expect(await page.getByText('The model wants to run its first script').count()).toBe(1);
      await ready(page);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect.poll(() => asked(page, 'update-settings')).toEqual([{ dismissed: ['first-run'] }]);
      await ask('q2');
      await page.getByRole('dialog').waitFor();
      expect(await page.getByText('The model wants to run its first script').count()).toBe(0);
    });

    test('one Stop gives one message: no failure, and no mark for the model', async () => {
      const page = await open();
      await inMain(page, (fake) => {
        const at = '2026-03-02T10:15:00.000Z';
        const error = { code: 'cancelled', message: 'The run was cancelled.', text: 'It was cancelled.' };
        const record = { version: 1, runId: 's', script: '1', at, stats: { durationMs: 5 }, error };
        const parts = [
          { type: 'text', text: 'I look.' },
          { type: 'tool', callId: 'c', name: 'search', title: 'Searched for “x”', state: 'stopped', detail: '' },
          {
            type: 'bash',
            runId: 'b',
            run: { command: 'sleep 9', stopped: true, stdout: { text: '' }, stderr: { text: '' } },
          },
          { type: 'script', runId: 's', record },
        ];
        const message = {
          ...{
            id: 'stopped',
            chatId: 'chat-1',
            role: 'assistant',
            attachments: [],
            proposal: null,
            commit: null,
            usage: null,
            workPlan: null,
          },
          ...{ parts, state: 'cancelled', error: null, createdAt: at },
        };
        fake.tell('chat:response:end', { chatId: 'chat-1', message });
      });
      const answer = page.getByRole('article').last();
      await answer.getByText('You stopped this answer. The part that arrived is kept.').waitFor();
      expect(await answer.locator('.ms-card[data-status=stopped]').count()).toBe(2);
      expect(await answer.locator('[aria-expanded=true], [role=alert], [data-kind=error], details').count()).toBe(0);
      expect(await answer.innerText()).not.toMatch(/cancelled|failed|wrong/i);
    });

    test('every question says which app and chat it is of', async () => {
      const page = await open();
      const summary = { totalBytes: 9e6, thresholdBytes: 1e6, truncateToBytes: 1e4, sources: [] };
      const hunks = [{ oldStart: 1, newStart: 1, lines: [{ kind: 'added', text: 'pad' }] }];
      const large = { path: 'a', change: 'added', added: 600, removed: 0, hunks, hidden: 'large', unshown: 599 };
      const kinds = [
        { kind: 'command', command: 'rm -r build' },
        { kind: 'write', title: 'Add one', files: [large] },
        { kind: 'size', summary },
        { kind: 'script', request: { script: '1 + 1', preview: '', files: [] } },
      ];
      for (const [index, kind] of kinds.entries()) {
        const id = `where-${index}`;
        const where = { app: 'billing', chat: `Invoices ${index}` };
        await inMain(page, (fake, question) => fake.tell('question:asked', { question }), {
          ...kind,
          id,
          chatId: 'of-another-app',
          where,
        });
        await expectShown(page.getByRole('dialog').getByText(`billing, chat “Invoices ${index}”`));
        if (kind.kind === 'write') {
          await expectShown(page.getByText('599 changed lines of it cannot be shown here'));
          await expectShown(page.locator('.ma-diff-line', { hasText: 'pad' }));
        }
        await inMain(page, (fake, id) => fake.tell('question:closed', { id }), id);
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
    });

    test('a file of the workspace that runs by itself is asked about once, with the reason', async () => {
      const page = await open();
      const hunks = [{ oldStart: 1, newStart: 1, lines: [{ kind: 'added', text: 'npm test' }] }];
      const runs = 'a hook runs by itself when git commits, checks out or pushes';
      const file = { path: '.husky/pre-commit', change: 'added', added: 1, removed: 0, hunks, runs };
      const asked = { kind: 'write', title: 'Write .husky/pre-commit of the workspace', into: 'workspace' };
      const question = { ...asked, id: 'runs', chatId: 'chat-1', files: [file] };
      await inMain(page, (fake, question) => fake.tell('question:asked', { question }), question);
      const dialog = page.getByRole('dialog');
      await expectShown(dialog.getByText(`Look closely: ${runs}.`));
      expect(await dialog.locator('.ms-dialog-actions').getByRole('button').allInnerTexts()).toEqual([
        'Do not write it',
        'Write it',
      ]);
    });

    test('a folder without git is asked about, and can be used as it is', async () => {
      const page = await pages.open({ apps: 0 });
      await page.getByRole('button', { name: 'Open a folder' }).click();
      await page.getByRole('button', { name: 'logs' }).click();
      await expect.poll(() => page.getByLabel('Folder', { exact: true }).first().inputValue()).toBe('/home/mira/logs');
      await page.getByRole('button', { name: 'Open this folder' }).click();
      await page.getByText('Start a history for this folder?').waitFor();
      await page.getByRole('button', { name: 'Open without' }).click();
      await page.locator('.ma-shell').waitFor();
      expect(await asked(page, 'init-git')).toEqual([]);
    });
  });

  test('nothing was thrown or logged in all of this', () => expect(pages.problems).toEqual([]));
});
