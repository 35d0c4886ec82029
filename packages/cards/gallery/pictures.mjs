// The pictures of docs/cards.md: which part of the gallery each shows, and what is done before.

/** @typedef {{ theme: 'light' | 'dark', width: number, shows: string, prepare?: (page: import('playwright-core').Page) => Promise<void> }} Picture */

const open = (name) => async (page) => {
  await page.locator(`[data-sample="${name}"] .ms-card-trigger`).click();
};

/** @type {Record<string, Picture>} */
export const pictures = {
  'cards-states': { theme: 'light', width: 720, shows: '#states' },
  'cards-table': { theme: 'light', width: 720, shows: '[data-sample="table"] .ms-card' },
  'cards-line': { theme: 'dark', width: 720, shows: '[data-sample="line"] .ms-card' },
  'cards-chart': { theme: 'light', width: 720, shows: '[data-sample="chart: line"] .ms-card' },
  'cards-narrow': {
    theme: 'dark',
    width: 352,
    shows: '[data-sample="truncated"] .ms-card',
    prepare: open('truncated'),
  },
  'cards-consent': {
    theme: 'dark',
    width: 720,
    shows: '[role=dialog]',
    async prepare(page) {
      await page.getByRole('button', { name: 'Ask for consent' }).click();
      await page.locator('[role=dialog] button[aria-disabled=false]').first().waitFor();
    },
  },
  'cards-settings': { theme: 'light', width: 720, shows: '#settings .ms-settings' },
};

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} origin of the gallery
 * @param {string} name of a picture
 * @returns {Promise<Buffer>} PNG
 */
export async function takePicture(browser, origin, name) {
  const { theme, width, shows, prepare } = pictures[name];
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    reducedMotion: 'reduce',
    locale: 'en-US',
    timezoneId: 'UTC',
  });
  try {
    const page = await context.newPage();
    await page.goto(`${origin}/?theme=${theme}`);
    await page.locator('[data-sample="line"] .ms-chart-drawing svg').waitFor();
    await page.locator('[data-sample="chart: line"] .ms-chart-drawing svg').waitFor();
    await prepare?.(page);
    return await page.locator(shows).screenshot({ animations: 'disabled', caret: 'hide' });
  } finally {
    await context.close();
  }
}
