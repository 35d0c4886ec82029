import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { hasChromium, sample, useGallery } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'mustard-react-18-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** In a folder of its own: npm puts no two versions of a peer dependency into one tree. */
function installs(): boolean {
  if (!hasChromium) return false;
  const options = ['--no-audit', '--no-fund', '--no-save', '--prefix', folder];
  try {
    execFileSync('npm', ['install', ...options, 'react@18.3.1', 'react-dom@18.3.1'], { stdio: 'pipe' });
    return true;
  } catch (error) {
    console.warn(`React 18 cannot be installed, so its tests are skipped: ${String(error)}`);
    return false;
  }
}

const modules = join(folder, 'node_modules');

describe.skipIf(!installs())('with React 18', () => {
  const gallery = useGallery({ alias: { react: join(modules, 'react'), 'react-dom': join(modules, 'react-dom') } });

  test('cards open, questions are answered, output is drawn', async () => {
    const page = await gallery.open();
    const success = page.locator(sample('success'));
    await success.locator('.ms-card-trigger').click();
    await success.getByRole('tabpanel').waitFor();
    await page.locator(`${sample('line')} .ms-chart-drawing svg`).waitFor();
    await page.locator(`${sample('error')} .ms-card-more`).click();
    await page.getByRole('menuitem', { name: 'Copy script' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Ask for consent' }).click();
    await page.locator('[role=dialog] button[aria-disabled=false]').first().waitFor();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await expect.poll(() => page.locator('#dialogs .asked').innerText()).toBe('allow-once');
  });

  test('it is React 18 that draws', async () => {
    const page = await gallery.open();
    const script = await page.evaluate(async () => {
      const { src } = document.querySelector<HTMLScriptElement>('script[type=module]')!;
      return await (await fetch(src)).text();
    });
    expect(script).toContain('18.3.1');
    expect(script).not.toContain('19.3.1');
  });

  test('every component of the gallery is there', async () => {
    const page = await gallery.open();
    const classes = ['card', 'chip', 'notice', 'settings', 'streams'];
    for (const name of classes) expect(await page.locator(`.ms-${name}`).count(), name).toBeGreaterThan(0);
  });

  test('nothing was thrown or logged', () => expect(gallery.problems).toEqual([]));
});
