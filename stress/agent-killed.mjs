import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseWrongs, git, newApp, query, stateOf, wrongWith } from './agent-oracle.mjs';
import { addressOf, openPage, startAgent } from './agent-program.mjs';
import { sendSignal } from './processes.mjs';
import { trackProcess } from './sandboxes.mjs';

/**
 * A question, its answer and the approval of that. `ended` and `approved`: the page was told so.
 *
 * @typedef {{ chatId: string, messageId: string, target: 'A' | 'B', head: string, ended: boolean, approved: boolean }} Turn
 * @typedef {'streaming' | 'applying'} Phase
 */

/** One app and one data folder, and a program on them that is killed and started again, and judged by git and SQLite. */
export class KilledAgent {
  #folder;
  #app;
  #data;
  #answers;
  #appId = '';
  /** What the program has said is saved: the text of each message. @type {Map<string, string>} */
  #known = new Map();
  /** How long each phase took when it went through, to draw moments from. */
  #tookMs = { streaming: 1_500, applying: 300 };
  /** What the person has written into her own file. */
  #mine = '';
  /** A proposal that waits for its approval. @type {Turn | undefined} */
  #pending;
  #child;
  #page;
  /** How much of each part of the answer the page has heard, and when. @type {{ at: number, index: number, chars: number }[]} */
  #heard = [];

  /** @param {string} folder @param {Record<'A' | 'B', string>} answers what a person reads of each answer, in the end */
  constructor(folder, answers) {
    this.#folder = folder;
    this.#app = join(folder, 'app');
    this.#data = join(folder, 'data');
    this.#answers = answers;
  }

  async begin(modelUrl) {
    mkdirSync(this.#folder);
    newApp(this.#app);
    await this.#start();
    const server = { name: 'Model', url: modelUrl, models: [], headers: {} };
    await this.#page.ask('save-model-server', { id: null, server });
  }

  /** @returns what was wrong after it, where the kill fell and what came of it, and what of a cut answer was not yet kept */
  async killOnce() {
    const turn = this.#pending ?? (await this.#newTurn());
    /** @type {Phase} */
    const phase = turn.ended || Math.random() < 0.4 ? 'applying' : 'streaming';
    const exited = once(this.#child, 'exit');
    let killedAt = 0;
    const kill = () => {
      killedAt ||= performance.now();
      sendSignal(-this.#child.pid, 'SIGKILL');
    };
    // A quarter longer than it takes, so that kills fall behind its end as well.
    const begin = (name) => name === phase && setTimeout(kill, Math.random() * this.#tookMs[name] * 1.25);
    const failed = await this.#converse(turn, begin).catch((error) => error);
    const wrong = failed === undefined || killedAt > 0 ? [] : [`it failed before it was killed: ${failed.message}`];
    if (wrong.length > 0) kill();
    await exited;
    // One that is always cut would never say how long it takes.
    if (!(phase === 'streaming' ? turn.ended : turn.approved)) this.#tookMs[phase] *= 1.25;
    const seen = [turn.approved ? 'over' : turn.ended ? 'applying' : 'streaming', ...this.#traces()];
    wrong.push(...databaseWrongs(this.#database, this.#folder));
    await this.#start();
    const judged = this.#judge(turn);
    const { kept } = judged;
    return {
      wrong: [...wrong, ...judged.wrong],
      seen: [...seen, ...judged.seen],
      behindMs: kept === undefined ? undefined : this.#behind(kept, killedAt),
    };
  }

  /** @returns what is wrong in the end: everything that was said to be saved must be there */
  async end() {
    const exited = once(this.#child, 'exit');
    sendSignal(-this.#child.pid, 'SIGKILL');
    await exited;
    const kept = new Map(query(this.#database, 'SELECT id, parts FROM messages').map((row) => [row.id, textOf(row)]));
    return [...this.#known].flatMap(([id, text]) => (kept.get(id) === text ? [] : [`the message ${id} is lost`]));
  }

  get #database() {
    return join(this.#data, 'agent.db');
  }

  async #start() {
    this.#child = startAgent({ data: this.#data, folder: this.#app });
    trackProcess(this.#child.pid);
    this.#page = await openPage(await addressOf(this.#child), ({ event, data }) => {
      if (event === 'chat:response:chunk')
        this.#heard.push({ at: performance.now(), index: data.index, chars: data.offset + data.text.length });
    });
    const { apps } = await this.#page.ask('get-state', {});
    this.#appId = apps[0].id;
  }

  /** @returns {Promise<Turn>} */
  async #newTurn() {
    const { id: chatId } = await this.#page.ask('create-chat', { appId: this.#appId, mode: 'build' });
    const target = stateOf(this.#app) === 'A' ? 'B' : 'A';
    return { chatId, messageId: '', target, head: this.#head(), ended: false, approved: false };
  }

  /** @param {Turn} turn @param {(phase: Phase) => void} begin called as each phase begins */
  async #converse(turn, begin) {
    const { chatId } = turn;
    if (!turn.ended) {
      this.#heard = [];
      const startedAt = performance.now();
      begin('streaming');
      const text = `Please go to ${turn.target}`;
      const { userMessageId, messageId } = await this.#page.ask('chat:stream', { chatId, text, uploads: [] });
      turn.messageId = messageId;
      this.#known.set(userMessageId, text);
      await this.#page.until('chat:response:end', ({ message }) => message.id === messageId);
      this.#known.set(messageId, this.#answers[turn.target]);
      turn.ended = true;
      this.#tookMs.streaming = performance.now() - startedAt;
    }
    this.#mine += `${turn.messageId}\n`;
    appendFileSync(join(this.#app, 'mine.txt'), `${turn.messageId}\n`);
    const startedAt = performance.now();
    begin('applying');
    const { proposal } = await this.#page.ask('approve-proposal', { chatId, messageId: turn.messageId });
    if (proposal.state !== 'approved') throw new Error(`it is ${proposal.state}: ${proposal.error}`);
    turn.approved = true;
    this.#tookMs.applying = performance.now() - startedAt;
  }

  /** What lies about after the kill. */
  #traces() {
    const has = (path) => existsSync(join(this.#app, '.git', path));
    if (!has('mustard-agent/apply/journal.json')) return [];
    return has('index.lock') ? ['journal', 'indexLock'] : ['journal'];
  }

  /** @param {Turn} turn what was under way */
  #judge(turn) {
    const wrong = wrongWith(this.#app);
    const seen = [];
    const must = (holds, otherwise) => void (holds || wrong.push(otherwise));
    must(isAncestor(this.#app, turn.head, 'HEAD'), 'commits are lost');
    const mine = join(this.#app, 'mine.txt');
    must((existsSync(mine) ? readFileSync(mine, 'utf8') : '') === this.#mine, "the person's own file is another");
    const sql = `SELECT id, role, state, parts, commit_hash, proposal ->> 'state' AS proposal FROM messages WHERE chat_id = '${turn.chatId}' ORDER BY position`;
    const [question, answer] = query(this.#database, sql);
    if (answer === undefined) {
      must(turn.messageId === '' && question === undefined, 'the question or its answer is lost');
      return { wrong, seen };
    }
    const [kept, whole] = [textOf(answer), this.#answers[turn.target]];
    if (turn.ended || answer.state === 'complete') must(kept === whole, 'a complete answer is not whole');
    else {
      must(answer.state === 'interrupted', `the unfinished answer is ${answer.state}`);
      must(whole.startsWith(kept), 'what is kept of the answer is not its beginning');
      seen.push('interrupted');
    }
    must(!turn.ended || answer.state === 'complete', `an answer that had ended is ${answer.state}`);
    must(!turn.approved || answer.proposal === 'approved', `what was approved is ${answer.proposal}`);
    this.#judgeFiles(turn, answer, { must, seen });
    const isPending = answer.proposal === 'pending';
    this.#pending =
      isPending && Math.random() < 0.7 ? { ...turn, messageId: answer.id, head: this.#head(), ended: true } : undefined;
    return { wrong, seen, kept: turn.ended || answer.state === 'complete' ? undefined : JSON.parse(answer.parts) };
  }

  /** What the database says of the proposal, the files and the commits say as well. */
  #judgeFiles({ target, head }, { proposal, commit_hash: commit }, { must, seen }) {
    const made = git(this.#app, 'log', '--format=%H', '--grep=^\\[agent\\]', `${head}..HEAD`).trim();
    if (proposal === 'approved') {
      seen.push('approved');
      must(stateOf(this.#app) === target, 'it is approved, and the files are the old ones');
      must(made === commit, `it is approved with ${commit}, and the commits of the agent are: ${made}`);
    } else {
      must(proposal === 'pending' || proposal === null, `the proposal is ${proposal}`);
      must(stateOf(this.#app) !== target, `it is ${proposal}, and the files are the new ones`);
      must(made === '' && commit === null, `it is ${proposal}, with a commit of the agent: ${made || commit}`);
    }
  }

  #behind(kept, killedAt) {
    const missing = this.#heard.find(({ index, chars }) => chars > (kept[index]?.text?.length ?? 0));
    return missing === undefined ? 0 : killedAt - missing.at;
  }

  #head() {
    return git(this.#app, 'rev-parse', 'HEAD').trim();
  }
}

function textOf({ parts }) {
  return JSON.parse(parts)
    .filter(({ type }) => type === 'text')
    .map(({ text }) => text)
    .join('');
}

function isAncestor(app, commit, of) {
  try {
    git(app, 'merge-base', '--is-ancestor', commit, of);
    return true;
  } catch {
    return false;
  }
}
