import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHttp, type HttpStage } from './support.ts';

const run = promisify(execFile);
/** Installed apart, for it asks for Node 22: npm install --prefix test/mcp/http/fixtures/conformance */
const suite = fileURLToPath(
  new URL('fixtures/conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
const hook = fileURLToPath(new URL('fixtures/glob-sync.mjs', import.meta.url));

/** Those of the official suite that need no tool, prompt or resource of a test server. */
const scenarios = [
  ...['server-initialize', 'logging-set-level', 'ping', 'tools-list', 'resources-list', 'prompts-list'],
  ...['server-sse-multiple-streams', 'dns-rebinding-protection'],
];

const recipe = {
  name: 'size',
  description: 'The size of a file.',
  inputs: [{ name: 'file', type: 'string', required: true, description: 'the file' }],
  script: 'file_stats(file).size',
};

let stage: HttpStage;
beforeAll(async () => {
  stage = await openHttp({ recipes: () => [recipe] });
});
afterAll(() => stage[Symbol.asyncDispose]());

describe.skipIf(!existsSync(suite))('the official conformance suite', () => {
  it.each(scenarios)('passes: %s', async (scenario) => {
    const results = mkdtempSync(join(tmpdir(), 'conformance-'));
    const args = ['server', '--url', stage.server.url.replace('127.0.0.1', 'localhost'), '--scenario', scenario];
    const { stdout } = await run(process.execPath, ['--import', hook, suite, ...args, '-o', results]).catch(
      (error: { stdout: string; stderr: string }) => ({ stdout: error.stdout + error.stderr }),
    );
    const [folder = ''] = readdirSync(results);
    const checks = JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')) as {
      id: string;
      status: string;
    }[];
    rmSync(results, { recursive: true });
    const failed = checks.filter(({ status }) => !['SUCCESS', 'INFO'].includes(status));
    expect(failed, stdout).toEqual([]);
    expect(checks.length).toBeGreaterThan(0);
  });
});
