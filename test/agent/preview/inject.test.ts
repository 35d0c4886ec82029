import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { load } from '../support.ts';

const { Injected } = await load<typeof import('../../../packages/desktop-agent/src/server/preview/proxy/inject.ts')>(
  'server/preview/proxy/inject.js',
);

async function injected(chunks: readonly string[]): Promise<string> {
  const pieces = chunks.filter((chunk) => chunk !== '').map((chunk) => Buffer.from(chunk));
  return (await buffer(Readable.from(pieces).pipe(new Injected('<S>')))).toString('utf8');
}

describe('a script that is put into a page', () => {
  test.each([
    ['<!doctype html><html><head><title>', '<!doctype html><html><head><S><title>'],
    [
      '<!DOCTYPE html>\n<html lang="en">\n<head data-a="1">\n',
      '<!DOCTYPE html>\n<html lang="en">\n<head data-a="1"><S>\n',
    ],
    ['<!-- <head> --><!doctype html><body>', '<!-- <head> --><!doctype html><S><body>'],
    ['\uFEFF<!doctype html>\n<header>', '\uFEFF<!doctype html>\n<S><header>'],
    ['<p>Hello', '<S><p>Hello'],
    ['Hello <head>', '<S>Hello <head>'],
    ['', '<S>'],
    ['<!doctype html', '<S><!doctype html'],
    ['<html><he', '<html><S><he'],
    ['<!doctype html>\n', '<!doctype html>\n<S>'],
    [`<!doctype html><!--${'x'.repeat(20_000)}`, `<!doctype html><S><!--${'x'.repeat(20_000)}`],
  ])('in %.30s', async (page, expected) => {
    expect(await injected([page])).toBe(expected);
  });

  test('is there once, at the same place wherever the page is cut, and nothing is lost', async () => {
    const word = fc.constantFrom(
      '<!doctype html>',
      '<html lang="é">',
      '<head>',
      '<head class="a">',
      '<!-- é -->',
      '\n',
      '<body>',
      'text',
    );
    const page = fc.array(word, { maxLength: 8 }).map((words) => words.join(''));
    await fc.assert(
      fc.asyncProperty(page, fc.array(fc.nat(60), { maxLength: 6 }), async (page, cuts) => {
        const places = [0, ...cuts.filter((cut) => cut <= page.length).toSorted((a, b) => a - b), page.length];
        const pieces = places.slice(1).map((to, index) => page.slice(places[index], to));
        const whole = await injected([page]);
        expect(whole.split('<S>')).toHaveLength(2);
        expect(whole.replace('<S>', '')).toBe(page);
        expect(await injected(pieces)).toBe(whole);
      }),
    );
  });
});
