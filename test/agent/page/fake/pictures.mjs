// The pictures of docs/desktop-agent.md: which state of the fake main each shows, and what is done before.
import { openPage } from './serve.mjs';

/** @typedef {NonNullable<Parameters<typeof openPage>[2]>} Options */

const open = async (page) => {
  await page.locator('.ms-card-trigger').first().click();
  await page.getByRole('table').or(page.locator('.ms-bars, .ms-card-body svg')).first().waitFor();
};

/** @type {Record<string, { options: Options, prepare: (page: import('playwright-core').Page) => Promise<void> }>} */
export const pictures = {
  'agent-chat': {
    options: { theme: 'light', window: { viewport: { width: 1120, height: 1000 } } },
    async prepare(page) {
      await open(page);
    },
  },
  'agent-proposal': {
    options: { chat: 'build', theme: 'light', window: { viewport: { width: 1280, height: 800 } } },
    async prepare(page) {
      await page.getByRole('button', { name: 'Review changes' }).click();
      await page.locator('.ma-diff-line').first().waitFor();
    },
  },
  'agent-settings': {
    options: { theme: 'dark', window: { viewport: { width: 960, height: 760 } } },
    async prepare(page) {
      await page.keyboard.press('Control+,');
      await page.getByText('Stored in the keychain').waitFor();
    },
  },
  'agent-tools': {
    options: { theme: 'light', waiting: true, window: { viewport: { width: 960, height: 900 } } },
    async prepare(page) {
      await page.keyboard.press('Control+,');
      await page.getByRole('radio', { name: 'Tools', exact: true }).check();
      await page.getByText('3 tools').click();
      await page.getByText('Deletes an issue for good.').waitFor();
    },
  },
  'agent-narrow': {
    options: { theme: 'dark', window: { viewport: { width: 360, height: 720 } } },
    prepare: async (page) => page.locator('.ma-table').waitFor(),
  },
};

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} origin of the fake
 * @param {string} name of a picture
 * @returns {Promise<Buffer>} PNG
 */
export async function takePicture(browser, origin, name) {
  const { options, prepare } = pictures[name];
  const page = await openPage(browser, origin, { ...options, plain: true });
  try {
    await page.locator('.ma-message').first().waitFor();
    await prepare(page);
    // Nothing is pointed at, and nothing has the focus.
    await page.mouse.move(0, 0);
    await page.evaluate('document.activeElement?.blur()');
    return await page.screenshot({ animations: 'disabled', caret: 'hide' });
  } finally {
    await page.context().close();
  }
}
