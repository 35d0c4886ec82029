import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requests, notifications, errorNumbers } from '@mustard-sandbox/daemon/protocol';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const script = join(root, 'scripts/docs/index.mjs');

it('every page is what the sources say, but for one that was edited, which is named; if not: npm run docs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reference-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(join(root, 'docs/reference'), folder, { recursive: true });
  const page = join(folder, 'api/client.md');
  const written = await readFile(page, 'utf8');
  await writeFile(page, written.replace('`graceMs`', '`gracefulMs`'));

  const check = await execa(process.execPath, [script, '--check', '--out', folder], { cwd: root, reject: false });
  expect(check.exitCode).toBe(1);
  expect(check.stderr).toMatch(/^Not what the sources say: [^,]*api[\\/]client\.md\. Run npm run docs\.$/);
});

it('the protocol page has every method, every error number and every field', async () => {
  const page = await readFile(join(root, 'docs/reference/protocol.md'), 'utf8');
  for (const method of [...Object.keys(requests), ...Object.keys(notifications)])
    expect(page).toContain(`### ${method}\n`);
  for (const [code, number] of Object.entries(errorNumbers))
    expect(page).toMatch(new RegExp(`\\| ${number} +\\| \`${code}\``));
  const fields = Object.values(requests).flatMap(({ params }) => Object.keys(params.shape));
  for (const field of fields) expect(page).toMatch(new RegExp(`^\\| \`${field}\``, 'm'));
});
