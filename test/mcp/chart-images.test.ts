import { execFileSync } from 'node:child_process';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chartImages } from '../../packages/mcp-server/src/chart-images.ts';
import { makeFolder } from './support.ts';

const chart = JSON.stringify({
  version: 1,
  type: 'bar',
  x: { label: 'k', scale: 'category', values: ['a'] },
  y: { label: 'v', scale: 'linear', values: [1] },
});

// Another program may write into the folder between a script's end and the answer.
it.skipIf(process.platform === 'win32').each<[string, (path: string, other: string) => void, string]>([
  ['a link to a chart', (path, other) => symlinkSync(other, path), 'is a link by now'],
  ['a pipe that nobody writes', (path) => void execFileSync('mkfifo', [path]), ''],
  ['nothing', () => {}, ''],
  ['no chart', (path) => writeFileSync(path, '{'), 'it is no JSON'],
  [
    'more than a chart can be',
    (path) => {
      writeFileSync(path, '');
      truncateSync(path, 4 * 1024 ** 3);
    },
    'It has 4294967296 bytes by now.',
  ],
])('a chart in whose place is %s has no image, and the next one has', async (_, replace, why) => {
  const folder = makeFolder({ 'other.json': chart, 'good.chart.json': chart });
  replace(join(folder, 'a.chart.json'), join(folder, 'other.json'));
  const outputs = ['a.chart.json', 'notes.json', 'good.chart.json'].map((name) => ({
    name,
    path: join(folder, name),
    size: 1,
    head: '',
  }));
  const problems: string[] = [];
  const images = await chartImages(outputs, (problem) => problems.push(problem));
  expect(images).toMatchObject([{ type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBORw0KGgo/) }]);
  expect(problems).toEqual([expect.stringContaining('a.chart.json has no image: ')]);
  expect(problems[0]).toContain(why);
});
