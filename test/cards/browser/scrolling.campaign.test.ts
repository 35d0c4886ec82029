import { describe, expect, test } from 'vitest';
import { hasChromium, sample, useGallery } from './support.ts';

/** What one frame has at 60 a second, in ms. */
const frame = 1_000 / 60;

describe.skipIf(!hasChromium)('a megabyte of output', () => {
  const gallery = useGallery();

  test('is scrolled to its end with few rows at any time; what a step takes is printed, for machines differ', async () => {
    const page = await gallery.open({ reducedMotion: 'reduce' });
    const card = page.locator(sample('truncated'));
    await card.locator('.ms-card-trigger').click();
    await card.getByRole('button', { name: 'Show all 1 MB' }).click();
    await card.getByText('The full output, 1 MB').waitFor();
    const scrolled = await card.locator('.ms-text').evaluate(async (element) => {
      const steps = 120;
      const work: number[] = [];
      let mostRows = 0;
      for (let step = 1; step <= steps; step++) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const started = performance.now();
        element.scrollTop = ((element.scrollHeight - element.clientHeight) * step) / steps;
        // The event, what React does in answer, and the layout: all that the page's own thread has to do for the frame.
        element.dispatchEvent(new Event('scroll'));
        await new Promise((resolve) => queueMicrotask(() => resolve(undefined)));
        element.getBoundingClientRect();
        work.push(performance.now() - started);
        mostRows = Math.max(mostRows, element.querySelectorAll('.ms-text-row').length);
      }
      const { length } = element.querySelectorAll('.ms-text-row');
      return { work: work.sort((a, b) => a - b), mostRows, length };
    });
    const median = scrolled.work[Math.floor(scrolled.work.length / 2)]!;
    console.info(`a step of scrolling: ${median.toFixed(2)} ms at the median, of ${frame.toFixed(1)} ms`);
    expect(scrolled.mostRows).toBeLessThan(80);
    expect(scrolled.length).toBeGreaterThan(10);
  });
});
