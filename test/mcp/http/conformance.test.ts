import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasOfficial, node22, official } from '../official.ts';
import { main } from '../support.ts';
import { openBridge } from './bridge.ts';
import { openHttp, type HttpStage } from './support.ts';

const run = promisify(execFile);
const suite = official('@modelcontextprotocol/conformance/dist/index.js');

/** Those of the official suite that need no tool, prompt or resource of a test server. */
const ofMessages = ['server-initialize', 'logging-set-level', 'ping', 'tools-list', 'resources-list', 'prompts-list'];
const ofHttp = ['server-sse-multiple-streams', 'dns-rebinding-protection'];

const recipe = {
  name: 'size',
  description: 'The size of a file.',
  inputs: [{ name: 'file', type: 'string', required: true, description: 'the file' }],
  script: 'file_stats(file).size',
};

let stage: HttpStage;
let bridge: Awaited<ReturnType<typeof openBridge>>;
beforeAll(async () => {
  stage = await openHttp({ recipes: () => [recipe] });
  bridge = await openBridge([main, 'mcp', '--consent', 'always']);
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await bridge[Symbol.asyncDispose]();
});

describe.skipIf(!hasOfficial)('the official conformance suite', () => {
  it.each([...ofMessages, ...ofHttp])('passes over HTTP: %s', async (scenario) => {
    await expect(outcomeOf(scenario, stage.server.url.replace('127.0.0.1', 'localhost'))).resolves.toEqual(passed);
  });

  // The suite speaks HTTP alone.
  it.each(ofMessages)('passes over stdio, through a bridge: %s', async (scenario) => {
    await expect(outcomeOf(scenario, bridge.url)).resolves.toEqual(passed);
  });
});

const passed = { failed: [], output: '' };

/** What has failed of a scenario, and what the suite printed then. */
async function outcomeOf(scenario: string, url: string): Promise<{ failed: unknown[]; output: string }> {
  const results = mkdtempSync(join(tmpdir(), 'conformance-'));
  const args = ['server', '--url', url, '--scenario', scenario];
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
  // A scenario that checks nothing has not passed.
  return failed.length === 0 && checks.length > 0 ? passed : { failed, output: stdout };
}
