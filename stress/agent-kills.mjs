import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { KilledAgent } from './agent-killed.mjs';
import { states } from './agent-oracle.mjs';
import { startModel } from './agent-program.mjs';
import { percentiles } from './report.mjs';

/** @typedef {import('./report.mjs').Report} Report */

const lanesAtOnce = 2;
const words = 'Some words of an answer that streams. ';
/** So that a kill falls between any two parts of an answer. */
const pieceChars = 40;
const pieceMs = 4;

const answers = { A: answerTo('A'), B: answerTo('B') };

/** @param {'A' | 'B'} target */
function answerTo(target) {
  const [now, then] = [states[target === 'A' ? 'B' : 'A'], states[target]];
  const renames = target === 'B' ? ['dir/x.txt', 'moved/x.txt'] : ['moved/x.txt', 'dir/x.txt'];
  const writes = Object.keys(then).filter((path) => path !== renames[1]);
  const deletes = Object.keys(now).filter((path) => !(path in then) && path !== renames[0]);
  return [
    words.repeat(10),
    `<agent-rename from="${renames[0]}" to="${renames[1]}"></agent-rename>`,
    ...writes.map((path) => `<agent-write path="${path}" description="">${then[path]}</agent-write>`),
    ...deletes.map((path) => `<agent-delete path="${path}"></agent-delete>`),
    words.repeat(10),
    `<agent-chat-summary>to ${target}</agent-chat-summary>`,
  ].join('\n');
}

/** None of these has a tag within a tag. @param {string} text */
function withoutTags(text) {
  return text.replaceAll(/<(agent-[\w-]+)[^>]*>[^<]*<\/\1>/g, '');
}

/** Streams what the question asks for, in small pieces. */
async function answer({ messages }, send) {
  const asked = JSON.stringify(messages.filter(({ role }) => role === 'user').at(-1));
  const text = answers[/go to (A|B)/.exec(asked)?.[1] ?? ''];
  for (let at = 0; at < text.length; at += pieceChars) {
    send({ content: text.slice(at, at + pieceChars) });
    await sleep(pieceMs);
  }
  send({}, 'stop');
}

/**
 * The whole desktop agent, killed with all that it has started at any moment of an answer that streams, is approved and is
 * applied. Started again on the same folders, it has nothing torn and nothing lost. git and SQLite say so, not the agent.
 *
 * @param {{ times: number }} options
 * @param {Report} report
 */
export async function run({ times }, report) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'stress-agent-kills-')));
  const model = await startModel(answer);
  try {
    const totals = { streaming: 0, applying: 0, over: 0, journal: 0, indexLock: 0, interrupted: 0, approved: 0 };
    /** How far what is kept of a cut answer was behind the page, in ms. @type {number[]} */
    const behind = [];
    let left = times;
    let torn = 0;
    const lanes = Array.from({ length: lanesAtOnce }, async (_, n) => {
      const agent = new KilledAgent(join(folder, `${n}`), { A: withoutTags(answers.A), B: withoutTags(answers.B) });
      await agent.begin(model.url);
      while (left-- > 0) {
        const { wrong, seen, behindMs } = await agent.killOnce();
        for (const name of seen) totals[name]++;
        if (behindMs !== undefined) behind.push(behindMs);
        if (wrong.length > 0) torn++;
        for (const what of wrong) report.must(false, what);
        report.sometimes(() => `${times - Math.max(left, 0)}/${times} killed, ${torn} torn`);
      }
      for (const what of await agent.end()) report.must(false, what);
    });
    await Promise.all(lanes);
    report.row(
      `  ${times} kills: ${totals.streaming} while streaming, ${totals.applying} while applying, ${torn} torn`,
    );
    report.row(`  ${totals.journal} with a journal, ${totals.indexLock} of them with the lock of the index`);
    for (const [name, count] of Object.entries(totals)) {
      report.must(times < 200 || count > 0, `no kill saw '${name}', so this proves nothing of it`);
    }
    return { times, ...totals, torn, behindMs: percentiles(behind) };
  } finally {
    model.close();
    await rm(folder, { recursive: true, force: true });
  }
}
