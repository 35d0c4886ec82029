import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasOfficial, node22, official } from '../official.ts';
import { openHttp, type HttpStage } from './support.ts';

const run = promisify(execFile);
const suite = official('@modelcontextprotocol/conformance/dist/index.js');

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

describe.skipIf(!hasOfficial)('the official conformance suite', () => {
  it.each(scenarios)('passes: %s', async (scenario) => {
    const results = mkdtempSync(join(tmpdir(), 'conformance-'));
    const args = ['server', '--url', stage.server.url.replace('127.0.0.1', 'localhost'), '--scenario', scenario];
    const { stdout } = await run(node22, [suite, ...args, '-o', results]).catch(
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
