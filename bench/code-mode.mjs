// npm run bench:code-mode: what code mode costs and saves, beside the peers that `npm run bench:peers` has installed. Prints one
// JSON line; `replayMs` is ours, with the answers of a ledger. The peers keep nothing: their calls wait for no disk.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSandbox } from '@mustard-sandbox/client';
import { createCodeModeTool } from '@mustard-sandbox/code-mode';
import { sqliteStore } from '@mustard-sandbox/runs';
import { z } from 'zod';
import { codeModePeers } from './peers/code-mode.mjs';

// One round takes a few seconds on a quiet machine.
const rounds = Number(process.argv[2] ?? 5);
const charactersOfToken = 4;
const folder = mkdtempSync(join(tmpdir(), 'bench-code-mode-'));
const issues = Array.from({ length: 200 }, (_, number) => ({
  number,
  title: `Issue ${number} of the shop`,
  labels: number % 3 === 0 ? ['bug'] : ['idea'],
  comments: number % 7,
}));

/** The same tools for every measurement. */
const tools = {
  add: { inputSchema: z.object({ n: z.number() }), execute: (/** @type {{ n: number }} */ { n }) => n + 1 },
  slow: { inputSchema: z.object({}), execute: () => sleep(50, 'done') },
  ask: { inputSchema: z.object({}) },
  page: {
    inputSchema: z.object({ page: z.number() }),
    execute: (/** @type {{ page: number }} */ { page }) => issues.slice(page * 20, page * 20 + 20),
  },
};

/** Ten tasks over pages of issues, as a model that makes no mistakes would do them. */
const tasks = Array.from({ length: 10 }, (_, n) => {
  const pages = n + 1;
  const all = `const all = (await Promise.all(Array.from({ length: ${pages} }, (_, page) => tools.page({ page })))).flat();`;
  return {
    pages,
    script: `${all} all.filter(({ labels, comments }) => labels.includes('bug') && comments > 3).length`,
  };
});

/** @param {number[]} all */
const median = (all) => Math.round((all.toSorted((one, two) => one - two)[all.length >> 1] ?? 0) * 10) / 10;

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** @param {() => Promise<number>} measure */
async function repeated(measure) {
  const all = [];
  for (let round = 0; round < rounds; round++) all.push(await measure());
  return median(all);
}

/** How often a model is asked, and what it reads, with a call of a tool each time and with one script. */
async function saved(/** @type {import('@mustard-sandbox/code-mode').CodeModeTool} */ tool) {
  const sum = { tasks: tasks.length, modelCalls: { tools: 0, script: 0 }, tokens: { tools: 0, script: 0 } };
  for (const { pages, script } of tasks) {
    // Each answer stays in the conversation, and is read again with each call that follows.
    let read = 0;
    for (let page = 0; page < pages; page++) {
      read += JSON.stringify(tools.page.execute({ page })).length / charactersOfToken;
      sum.tokens.tools += read;
    }
    sum.modelCalls.tools += pages + 1;
    const { text } = await tool.execute({ script });
    sum.modelCalls.script += 2;
    sum.tokens.script += (2 * script.length + text.length) / charactersOfToken;
  }
  const { tokens } = sum;
  return { ...sum, tokens: { tools: Math.round(tokens.tools), script: Math.round(tokens.script) } };
}

/** A peer in this process, or why it does not run here. */
async function besides(/** @type {string} */ name) {
  try {
    const from = performance.now();
    const peer = await codeModePeers[name]();
    await peer.run('return await tools.add({ n: 1 })');
    const firstCallMs = Math.round(performance.now() - from);
    const oneByOneMs = await repeated(() => timed(() => peer.run(`${hundred} return n`)));
    const parallelMs = await repeated(() => timed(() => peer.run(`return ${parallel}`)));
    const resumeMs = await repeated(
      async () => await timed(await peer.wait(`${hundred} await tools.ask({}); return n`)),
    );
    return { name, firstCallMs, oneByOneMs, parallelMs, resumeMs };
  } catch (/** @type {any} */ error) {
    return { name, error: `${error.code ?? error.name}: ${error.message}`.slice(0, 300) };
  }
}

const hundred = 'let n = 0; for (let time = 0; time < 100; time++) n = await tools.add({ n });';
const parallel = 'await Promise.all(Array.from({ length: 32 }, () => tools.slow({})))';
const sandbox = createSandbox({ isolation: 'process' });
const options = { sandbox, tools, parallelCalls: 32, keys: [{ id: 'bench', key: randomBytes(32) }] };
const from = performance.now();
const tool = await createCodeModeTool({ ...options, store: sqliteStore(join(folder, 'runs.db')) });
await tool.execute({ script: 'await tools.add({ n: 1 })' });
const firstCallMs = Math.round(performance.now() - from);
const oneByOneMs = await repeated(() => timed(() => tool.execute({ script: `${hundred} n` })));
const parallelMs = await repeated(() => timed(() => tool.execute({ script: parallel })));
const checkMs = await repeated(async () => await timed(() => tool.execute({ script: 'await tools.ad({ n: 1 })' })));
const resumeMs = await repeated(async () => {
  const { run } = await tool.execute({ script: `${hundred} await tools.ask({}); n` });
  return await timed(() => tool.resume(run, [{ id: 101, value: 1 }]));
});
// What comes back to the place by running the script again: with all answers at hand, and nothing kept.
const replayMs = await repeated(async () => {
  const { run } = await tool.execute({ script: `${hundred} await tools.ask({}); n` });
  return await timed(() => tool.runs.restart(run));
});
const figures = { firstCallMs, oneByOneMs, parallelMs, checkMs, resumeMs, replayMs, saved: await saved(tool) };
await tool.close();
await sandbox.close();
const peers = [];
for (const name of Object.keys(codeModePeers)) peers.push(await besides(name));
rmSync(folder, { recursive: true, force: true });
process.stdout.write(
  `${JSON.stringify({ ...figures, resumeOfReplay: Math.round((resumeMs / replayMs) * 1000) / 1000, peers })}\n`,
);
