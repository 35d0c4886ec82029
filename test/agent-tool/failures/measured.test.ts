import { expect, test } from 'vitest';
import { explain as explainRun, folderWith } from './support.ts';

test('a timeout says that the time went into what comes after the loop that reads', async () => {
  const script = `const path = 'attachments:server.log';
const found = [];
for (let start = 0; start < 100_000; start += 50_000) {
  const text = read_file(path, { start, length: 50_000 });
  for (const line of text.split('\\n')) found.push(line.split(' ')[1]);
}
let turns = 0;
while (found.length > 0) turns++;
turns`;
  const { text } = await explainRun(script, { limits: { timeoutMs: 2500 }, profile: true });
  expect(text).toMatch(/^timeout/);
  expect(text).toMatch(/Measured: \d+\.\d s went into the code after the last call/);
  // Nothing parses a script in the host.
  expect(text).not.toMatch(/line \d/);
});

test('it says how far it came and into how many parts to split', async () => {
  const script = `const path = 'attachments:server.log';
let count = 0;
for (let start = 0; start < 1_600_000; start += 4_000) {
  for (const c of read_file(path, { start, length: 4_000 })) if (c === 'E') count++;
  // However fast the machine is, it does not get further.
  while (start >= 800_000) count++;
}
count`;
  const { text, error } = await explainRun(script, { limits: { timeoutMs: 1500 }, profile: true });
  expect(text).toMatch(/It came to byte \d+ of \d+ of "attachments:server.log"/);
  expect(error.details.spent).toMatchObject({
    reached: { path: 'attachments:server.log' },
    bytesRead: expect.any(Number) as number,
  });
  expect(error.details.spent?.bytesRead).toBeGreaterThan(0);
  expect(error.details.spent?.cpuMs).toBeGreaterThan(0);
});

test('JSON that is too long for one read is not to be read by lines', async () => {
  const root = folderWith({ 'big.json': `{"items":[${'1,'.repeat(700_000)}1]}` });
  const { text } = await explainRun("JSON.parse(read_file('big.json')).items.length", { scope: { root } });
  expect(text).toMatch(/read_json\("big\.json"\)/);
  expect(text).not.toMatch(/lastIndexOf/);
});
