import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { expectGone, expectShown, inMain, useFakePage } from './support.ts';

describe.skipIf(!hasChromium)('a plan', () => {
  const pages = useFakePage();
  const asked = async (page: Page, name: string): Promise<unknown[]> =>
    inMain(page, (fake, name) => fake.asked.filter((call) => call.name === name).map(({ params }) => params), name);
  /** The server tells of each edit, as the real one does. */
  const open = async (chat: string): Promise<Page> => {
    const page = await pages.open({ chat });
    await inMain(page, (fake) => {
      const edit = fake.answers['edit-work-plan'];
      fake.answers['edit-work-plan'] = async (params) => {
        const { messages } = await fake.invoke('get-chat', { chatId: params.chatId });
        const before = messages.find(({ id }) => id === params.messageId)!;
        const steps = params.steps.map((text) => ({ text }));
        const message = { ...before, workPlan: { state: 'pending', steps, more: 0, revision: params.revision + 1 } };
        fake.tell('chat:message', { message });
        return edit?.(params) ?? message;
      };
    });
    return page;
  };
  const steps = async (page: Page): Promise<string[]> =>
    (await page.locator('.ma-plan [data-step]').allTextContents()).map((text) => text.split(' ')[0]!);

  test('is changed by keyboard: steps move with the focus, are written, removed and brought back', async () => {
    const page = await open('plan');
    await expect.poll(() => steps(page)).toEqual(['Count', 'Move', 'Delete', 'Test']);
    await page.getByRole('button', { name: /^Change step 2/ }).focus();
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => steps(page)).toEqual(['Count', 'Delete', 'Move', 'Test']);
    const focused = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
    await expect.poll(focused).toMatch(/^Change step 3: Move/);
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Text of step 3' }).fill('Leave the discount');
    await page.keyboard.press('Enter');
    await expect.poll(() => steps(page)).toEqual(['Count', 'Delete', 'Leave', 'Test']);
    await expect.poll(focused).toMatch(/^Change step 3: Leave/);
    // Escape closes the field, and what was typed is gone.
    await page.keyboard.press('Enter');
    await page.keyboard.type('Not this');
    await page.keyboard.press('Escape');
    await expect.poll(() => steps(page)).toEqual(['Count', 'Delete', 'Leave', 'Test']);
    await page.getByRole('button', { name: 'Remove step 2' }).press('Enter');
    await expect.poll(() => steps(page)).toEqual(['Count', 'Leave', 'Test']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => steps(page)).toEqual(['Count', 'Delete', 'Leave', 'Test']);
    await page.getByRole('button', { name: 'Add a step' }).click();
    await page.getByRole('textbox', { name: 'New step' }).fill('Say so');
    await page.keyboard.press('Enter');
    await expect.poll(() => steps(page)).toEqual(['Count', 'Delete', 'Leave', 'Test', 'Say']);
  });

  test('is approved as it is shown, with an edit that is still open, in the mode that was chosen', async () => {
    const page = await open('plan');
    await page.getByRole('group', { name: 'Follow it in' }).getByRole('radio', { name: 'Agent' }).check();
    await page.getByRole('button', { name: /^Change step 1/ }).click();
    await page.getByRole('textbox', { name: 'Text of step 1' }).fill('Only this');
    await page.getByRole('button', { name: 'Approve and begin' }).click();
    await expect
      .poll(() => asked(page, 'approve-work-plan'))
      .toEqual([{ chatId: 'plan', messageId: 'planned', revision: 1, mode: 'agent' }]);
    const [edited] = (await asked(page, 'edit-work-plan')) as { steps: string[] }[];
    expect(edited?.steps[0]).toBe('Only this');
  });

  test('is not approved when an edit of it could not be saved', async () => {
    const page = await pages.open({ chat: 'plan' });
    await inMain(page, (fake) => {
      fake.answers['edit-work-plan'] = () => Promise.reject(new Error('no'));
    });
    await page.getByRole('button', { name: /^Change step 1/ }).click();
    await page.getByRole('textbox', { name: 'Text of step 1' }).fill('Only this');
    await page.getByRole('button', { name: 'Approve and begin' }).click();
    await expectShown(page.getByRole('alert').first());
    expect(await asked(page, 'approve-work-plan')).toEqual([]);
  });

  test('that is followed stands over the message box, is ticked by hand, and can be ended', async () => {
    const page = await open('followed');
    const strip = page.getByRole('region', { name: 'Plan', exact: true });
    await expectShown(strip.getByText('1 of 4 steps done'));
    // The second step waits for the approval of the changes, so there is nothing to go on with.
    await expectGone(strip.getByRole('button', { name: 'Go on' }));
    await strip.locator('summary').press('Enter');
    await strip.getByRole('checkbox', { name: /^Step 3 is done/ }).press('Space');
    await strip.getByRole('button', { name: 'End this plan' }).click();
    const ids = { chatId: 'followed', messageId: 'planned' };
    await expect.poll(() => asked(page, 'end-work-plan')).toEqual([ids]);
    expect(await asked(page, 'mark-step')).toEqual([{ ...ids, step: 2, isDone: true }]);
  });

  test('threw nothing in the page', () => expect(pages.problems).toEqual([]));
});

describe.skipIf(!hasChromium)('going on from an earlier message', () => {
  const pages = useFakePage();
  const asked = async (page: Page): Promise<unknown[]> =>
    inMain(page, (fake) => fake.asked.filter(({ name }) => name === 'go-on-from').map(({ params }) => params));
  const open = async (): Promise<Page> => {
    const page = await pages.open({ chat: 'build' });
    await page.getByRole('button', { name: 'Edit and go on from here' }).focus();
    await page.keyboard.press('Enter');
    await expectShown(page.getByRole('dialog', { name: 'Edit this message and go on from here' }));
    return page;
  };

  test('says what will happen, by keyboard, and opens the new chat with a way back', async () => {
    const page = await open();
    await expectShown(page.getByText('This chat stays as it is.'));
    await expectShown(page.getByText('What you have changed in 1 file is committed first'));
    await page.getByRole('textbox', { name: 'Edited message' }).fill('Only discounts');
    await page.getByRole('radio', { name: 'Keep the files as they are now' }).press('ArrowDown');
    await page.getByRole('button', { name: 'Take the files back and go on' }).press('Enter');
    await expectShown(page.getByText('The files went back to ccccccc.'));
    const back = { commit: 'c'.repeat(40), seen: 'seen-1' };
    const ids = { chatId: 'build', messageId: 'edited' };
    expect(await asked(page)).toEqual([{ ...ids, text: 'Only discounts', attachments: [], back }]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect
      .poll(() => inMain(page, (fake) => fake.asked.find(({ name }) => name === 'undo-version')?.params))
      .toEqual({ appId: 'app-1', commit: 'd'.repeat(40) });
  });

  test('keeps the files unless they are asked back, and Escape does nothing at all', async () => {
    const page = await open();
    await page.keyboard.press('Escape');
    await expectGone(page.getByRole('dialog'));
    expect(await asked(page)).toEqual([]);
    await page.getByRole('button', { name: 'Edit and go on from here' }).click();
    await page.getByRole('button', { name: 'Go on from here', exact: true }).click();
    await expect.poll(() => asked(page)).toMatchObject([{ back: null }]);
  });

  test('shows why nothing was done, keeps what was typed, and asks anew what would happen', async () => {
    const page = await open();
    await inMain(page, (fake) => {
      fake.answers['go-on-from'] = () =>
        Promise.reject(Object.assign(new Error('The files have changed meanwhile.'), { code: 'changed' }));
    });
    await page.getByRole('textbox', { name: 'Edited message' }).fill('Only discounts');
    await page.getByRole('button', { name: 'Go on from here', exact: true }).click();
    await expectShown(page.getByRole('dialog').getByText('The files have changed meanwhile.'));
    expect(await page.getByRole('textbox', { name: 'Edited message' }).inputValue()).toBe('Only discounts');
    const looks = await inMain(page, (fake) => fake.asked.filter(({ name }) => name === 'read-checkpoint').length);
    expect(looks).toBe(2);
  });

  test('threw nothing in the page', () => expect(pages.problems).toEqual([]));
});
