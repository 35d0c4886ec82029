// The files that the questions are about, and the questions. All of it is made anew from a seed: the same at every run.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { access } from './access.mjs';
import { har, packed, records, report } from './binary.mjs';
import { catalog } from './catalog.mjs';
import { dump } from './dump.mjs';
import { events } from './events.mjs';
import { feed } from './feed.mjs';
import { formats } from './formats/index.mjs';
import { log } from './log.mjs';
import { mail } from './mail.mjs';
import { orders } from './orders.mjs';
import { project } from './project.mjs';
import { randomOf } from './random.mjs';

const basics = { log, access, orders, events, catalog, project, mail, feed, dump, har, records, packed, report };

/** The questions that can be asked, by name. Each begins with seeds of its own, so that no list changes another's data. */
const lists = { basics: { sets: basics, seed: 1000 }, formats: { sets: formats, seed: 2000 } };

/** The names of the lists of questions. */
export const listNames = Object.keys(lists);

/**
 * @typedef {{ id: string, set: string, ask: string, format: string, files: string[], answer: unknown }} EvalQuestion
 * `answer` is computed from the records that the files were made of; `truth_*.py` compute it from the files.
 */

/**
 * Writes the files of a list of questions into a folder; those of the project lie in `project` there.
 *
 * @param {string} folder
 * @param {number} [scale] 1: about 30 MB in all, 5 MB of the formats
 * @param {string} [list]
 * @returns {{ questions: EvalQuestion[], files: string[] }}
 */
export function makeData(folder, scale = 1, list = 'basics') {
  const { sets, seed } = lists[list];
  const questions = [];
  const written = [];
  for (const [at, [set, one]] of Object.entries(sets).entries()) {
    const { files: attached, questions: asked } = one;
    const { files, model } = one.make(randomOf(seed + at), scale);
    for (const [name, bytes] of Object.entries(files)) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes);
      written.push(name);
    }
    for (const [id, [ask, format, answer]] of Object.entries(asked)) {
      questions.push({ id, set, ask, format, files: attached, answer: answer(model) });
    }
  }
  return { questions, files: written };
}
