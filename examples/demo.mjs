// npm run demo [-- --megabytes N --dir FOLDER]: the main job, three crashes, and the job after them.
import { readFile, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { createExecuteSandboxScriptTool, formatBytes } from '@mustard-sandbox/agent-tool';
import { createSandbox, SandboxError } from '@mustard-sandbox/client';
import { crashes, startHeartbeat } from './demo/crashes.mjs';
import { countInNode, ensureLog } from './demo/log-file.mjs';
import { bad, bar, bold, code, count, dim, good, heading, print, seconds, table } from './demo/terminal.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Nobody is there to be asked. */
const settings = /** @type {const} */ ({ consent: 'always' });
/** What one run may read in all. */
const maxMegabytes = 256;
/** A timer may be late on a busy machine; an engine in this process would hold it for seconds. */
const maxStallMs = 500;

let failures = 0;

function check(holds, text) {
  if (!holds) failures++;
  print(`   ${holds ? good() : bad()} ${text}`);
}

async function prepareLog(path, megabytes, signal) {
  heading(1, `A server log of ${megabytes} MB`);
  const tookMs = await ensureLog(path, megabytes, signal);
  const { size } = await stat(path);
  const how = tookMs === undefined ? 'from the last time' : `made in ${seconds(tookMs)}`;
  print(`   ${relative(process.cwd(), path)}  ${dim(`${count(size)} bytes, ${how}`)}`);
}

async function askForErrorCodes(sandbox, path, signal) {
  heading(2, 'The five most common error codes, through the agent tool');
  const tool = createExecuteSandboxScriptTool({
    sandbox,
    settings,
    attachments: [{ name: 'server.log', path }],
    // The usual 2 s and 200 M are plenty for 80 MB; these are for a larger log, or a busy machine.
    limits: { timeoutMs: 10_000, instructions: 1e9 },
  });
  const script = await readFile(new URL('top-errors.js', import.meta.url), 'utf8');
  const answer = await tool.execute({ script }, { signal });
  if (answer.status !== 'completed') throw new Error(answer.text);
  const { executionMs, bytesRead, instructionsUsed } = answer;
  const value = /** @type {{ code: string, count: number }[]} */ (answer.value);
  const most = value[0]?.count ?? 1;
  const rows = value.map((row) => [row.code, count(row.count), bar(row.count / most)]);
  for (const line of table([['code', 'count', ''], ...rows], [1])) print(line);
  const instructions = `${(instructionsUsed / 1e6).toFixed(1)} million instructions`;
  print(`\n   ${bold(seconds(executionMs))} · ${formatBytes(bytesRead)} read · ${instructions}`);
  const startedAt = performance.now();
  const expected = (await countInNode(path, signal)).slice(0, 5);
  const took = dim(`(${seconds(performance.now() - startedAt)})`);
  check(isDeepStrictEqual(value, expected), `the same counts as plain Node, line by line ${took}`);
}

async function crash(sandbox, signal) {
  heading(3, 'Scripts that would take a process down');
  const tool = createExecuteSandboxScriptTool({ sandbox, settings });
  const heartbeat = startHeartbeat();
  for (const { what, script, codes } of crashes) {
    const startedAt = performance.now();
    const answer = await tool.execute({ script }, { signal });
    signal.throwIfAborted();
    const after = dim(`after ${seconds(performance.now() - startedAt)}`);
    const error = answer.status === 'failed' ? answer.error : undefined;
    check(error !== undefined && codes.includes(error.code), `${what} ${after}`);
    print(`     ${code(error?.code ?? answer.status)} ${error?.message ?? answer.text}`);
  }
  const stallMs = heartbeat.stop();
  print();
  check(
    stallMs < maxStallMs,
    `this process (pid ${process.pid}) is alive: no gap in its timer was over ${seconds(stallMs)}`,
  );
}

async function askOnceMore(sandbox, path, signal) {
  heading(4, 'One more script');
  const tool = createExecuteSandboxScriptTool({ sandbox, settings, attachments: [{ name: 'server.log', path }] });
  const script = `read_file('attachments:server.log', { start: 0, length: 4096 }).split('\\n')[0]`;
  const answer = await tool.execute({ script }, { signal });
  const line = JSON.stringify(answer.text);
  const executionMs = answer.status === 'completed' ? answer.executionMs : 0;
  check(line.startsWith('"2026-04-20T'), `the first line of the log ${dim(`in ${seconds(executionMs)}`)}`);
  print(`     ${line}`);
}

async function demo({ megabytes, dir }, signal) {
  const path = join(resolve(dir), `server-${megabytes}mb.log`);
  const sandbox = createSandbox();
  try {
    print(bold('mustard-sandbox') + dim('  an agent’s scripts over big files, in a process that may die'));
    await prepareLog(path, megabytes, signal);
    const engine = await sandbox.warm();
    if (!engine.available) throw new SandboxError('engine_unavailable', engine.reason ?? 'no engine');
    await askForErrorCodes(sandbox, path, signal);
    await crash(sandbox, signal);
    await askOnceMore(sandbox, path, signal);
    print(
      `\n${failures === 0 ? good() : bad()} ${failures === 0 ? 'All as expected.' : `${failures} not as expected.`}`,
    );
  } finally {
    await sandbox.close();
  }
}

function parseOptions() {
  const { values } = parseArgs({
    options: { megabytes: { type: 'string', default: '80' }, dir: { type: 'string', default: join(root, '.demo') } },
  });
  const megabytes = Number(values.megabytes);
  if (!(megabytes >= 1 && megabytes < maxMegabytes)) {
    throw new TypeError(`--megabytes must be a number from 1 to ${maxMegabytes - 1}`);
  }
  return { megabytes, dir: values.dir };
}

async function main() {
  const options = parseOptions();
  const controller = new AbortController();
  // Not `once`: when the last listener goes, signal-exit (in execa) ends the process at once.
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => controller.abort());
  try {
    await demo(options, controller.signal);
    process.exitCode = failures === 0 ? 0 : 1;
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    print('\nStopped.');
    process.exitCode = 130;
  }
}

try {
  await main();
} catch (/** @type {any} */ error) {
  process.stderr.write(`\ndemo: ${error.message}\n`);
  process.exitCode = error instanceof TypeError ? 2 : 1;
}
