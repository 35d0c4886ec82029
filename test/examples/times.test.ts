import { describe, expect, test } from 'vitest';
import { failureOf } from '../client/support.ts';
import { isFull } from '../full.ts';
import { attach, runExample, seeded } from './support.ts';

interface Line {
  ms: number;
  text: string;
}

const random = seeded(5);

/** A log in order, with pauses now and then, and lines without a time that belong to the one before. */
function makeLog(count: number, { blank = false } = {}): Line[] {
  const lines: Line[] = [];
  let ms = Date.UTC(2026, 2, 1);
  for (let index = 0; index < count; index++) {
    ms += random() < 0.001 ? 120_000 + Math.floor(random() * 1000) * 1000 : Math.floor(random() * 2000);
    const time = new Date(ms).toISOString().slice(0, -1);
    const stamp = blank ? time.replace('T', ' ').replace('.', ',') : time;
    const level = random() < 0.1 ? 'ERROR' : 'INFO';
    lines.push({ ms, text: `[${stamp}] ${level} größer ${index}, valid until 2031-01-01 00:00:00` });
    if (random() < 0.02) lines.push({ ms, text: '    at handler (app.js:3:4)' });
  }
  return lines;
}

function attachLog(lines: Line[], lineBreak = '\n'): ReturnType<typeof attach> {
  return attach('a.log', lines.map(({ text }) => text + lineBreak).join(''));
}

const log = makeLog(isFull ? 60_000 : 15_000);
const start = log[0]?.ms as number;
const end = log.at(-1)?.ms as number;
const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 19);

describe('time-window.js', () => {
  test.each([
    ['in the middle', 0.4, 0.41],
    ['most of it', 0.02, 0.98],
    ['from before the start', -1, 0.1],
    ['to after the end', 0.95, 2],
    ['before all', -2, -1],
    ['after all', 2, 3],
    ['an hour', 0.5, undefined],
  ])('cuts %s out', async (_, share, until) => {
    const at = (part: number): number => Math.round((start + part * (end - start)) / 1000) * 1000;
    const from = at(share);
    const to = until === undefined ? from + 3_600_000 : at(until);
    const inputs = { from: iso(from), to: iso(to), limit: 30 };
    const expected = log.filter(({ ms }) => ms >= from && ms < to).map(({ text }) => text);
    const { value } = await runExample('time-window.js', { scope: attachLog(log), inputs });
    expect(value).toEqual({ lines: expected.length, shown: expected.slice(0, 30) });
  });

  test('takes part of a date, a blank for the T, and CRLF', async () => {
    const lines = makeLog(5000, { blank: true });
    const expected = lines.filter(({ ms }) => new Date(ms).toISOString().slice(11, 13) === '01');
    const inputs = { from: '2026-03-01T01', to: '2026-03-01 02', limit: 3 };
    const { value } = await runExample('time-window.js', { scope: attachLog(lines, '\r\n'), inputs });
    expect(expected.length).toBeGreaterThan(100);
    expect(value).toEqual({ lines: expected.length, shown: expected.slice(0, 3).map(({ text }) => text) });
  });

  test('reads little more than the window', async () => {
    const inputs = { from: iso(start + 0.5 * (end - start)), to: iso(start + 0.5 * (end - start) + 5000) };
    const lines = makeLog(isFull ? 200_000 : 80_000);
    const { bytesRead } = await runExample('time-window.js', { scope: attachLog(lines), inputs });
    expect(bytesRead).toBeLessThan(3 * 1024 * 1024);
  });

  test.each([
    ['a text', { from: 'yesterday', to: '2026-03-02' }, 'from must be a time such as'],
    ['the wrong order', { from: '2026-03-02', to: '2026-03-01' }, 'from must be before to'],
    ['a file without times', { from: '2026-03-01', to: '2026-03-02' }, 'has no times such as'],
  ])('refuses %s', async (_, inputs, message) => {
    const error = await failureOf(runExample('time-window.js', { scope: attach('a', 'no times\nhere'), inputs }));
    expect(error.message).toContain(message);
  });
});

describe('timeline.js', () => {
  function counted(lines: Line[], length: number, containing: string): { time: string; lines: number }[] {
    const counts = new Map<string, number>();
    for (const { text } of lines) {
      const time = /\d{4}-\d\d-\d\d.\d\d:\d\d/.exec(text)?.[0].slice(0, length).replace(' ', 'T');
      if (time !== undefined && text.includes(containing)) counts.set(time, (counts.get(time) ?? 0) + 1);
    }
    return [...counts].map(([time, lines]) => ({ time, lines }));
  }

  test.each([
    ['all lines by the minute', 2000, 100, '', 'minute', 16],
    ['all lines by the hour', 20_000, 20, '', 'hour', 13],
    ['errors by the day', 60_000, 3, 'ERROR', 'day', 10],
  ])('counts %s', async (_, count, rows, containing, unit, length) => {
    const lines = log.slice(0, count);
    const timeline = counted(lines, length, containing);
    const { value } = await runExample('timeline.js', { scope: attachLog(lines), inputs: { containing, rows } });
    expect(value).toMatchObject({ unit, timeline, lines: timeline.reduce((sum, row) => sum + row.lines, 0) });
    const { peak } = value as { peak: { lines: number } };
    expect(peak.lines).toBe(Math.max(...timeline.map((row) => row.lines)));
  });

  test('lines without a time', async () => {
    const { value } = await runExample('timeline.js', {
      scope: attach('a.log', 'ERROR\nERROR 2026-01-01T00:00\r\nx'),
      inputs: { containing: 'ERROR' },
    });
    expect(value).toMatchObject({ lines: 1, withoutTime: 1, timeline: [{ time: '2026-01-01T00:00', lines: 1 }] });
  });
});

describe('time-gaps.js', () => {
  test.each([
    ['minutes', 120],
    ['seconds', 1.999],
    ['hours', 3600],
    ['parts of a second', 0.5],
  ])('finds gaps of %s', async (_, seconds) => {
    const timed = log.slice(0, 20_000).filter(({ text }) => text.startsWith('['));
    const gaps = timed
      .slice(1)
      .map(({ ms }, index) => (ms - (timed[index]?.ms as number)) / 1000)
      .filter((gap) => gap >= seconds)
      .toSorted((a, b) => b - a);
    const { value } = await runExample('time-gaps.js', { scope: attachLog(log.slice(0, 20_000)), inputs: { seconds } });
    const { longest, ...found } = value as { longest: { seconds: number }[] };
    expect(found).toEqual({ times: timed.length, backwards: 0, gaps: gaps.length });
    expect(longest.map((gap) => gap.seconds)).toEqual(gaps.slice(0, 10));
  });

  test('says where, and counts times that jump back', async () => {
    const text = 'a 2026-01-01 10:00:00,5 x\r\n2026-01-01 10:05:00,25\r\n2026-01-01 10:04:59,25\n2026-01-01 10:03:00';
    const { value } = await runExample('time-gaps.js', { scope: attach('a.log', text) });
    const [from, to] = ['2026-01-01 10:00:00,5', '2026-01-01 10:05:00,25'];
    expect(value).toEqual({ times: 4, backwards: 1, gaps: 1, longest: [{ from, to, seconds: 299.75 }] });
  });
});
