import { parseArgs } from 'node:util';
import { listNames } from './data/index.mjs';

export const usage = `npm run eval -- [OPTIONS]: how often the first script to a question about big files is right.

Who writes the scripts, one of:
  --model NAME --base-url URL   any endpoint of the OpenAI kind, such as http://127.0.0.1:11434/v1 of Ollama
  --scripts PLACE               QUESTION.js in a folder; QUESTION.2.js and QUESTION.3.js for further tries;
                                or a JSON file with a script for each question

or:
  --peek DIR    write what somebody needs who writes scripts without seeing an answer, and end
  --check       compute each answer in the second way, from the files, and compare; needs python3

  --questions LIST basics, which is the default, or formats: spreadsheets, databases, archives and others
  --bare           with --scripts: only measures each beside QuickJS alone, in processor time
  --key-env NAME   the variable that holds the endpoint's key
  --only WORD      questions whose name begins so; may be given more than once
  --scale NUMBER   size of the files, 1 by default: about 30 MB in all, 5 MB of the formats
  --seconds NUMBER time for one script, 2 by default
  --page FILE      write the page of results there
  --json FILE      write all of it as JSON
  --at-least NUMBER  exit with 1 when fewer percent are right at the first try: a gate for small local models
  --help`;

export class UsageError extends Error {}

export function parseOptions(args) {
  const values = read(args);
  const { 'base-url': baseUrl, 'key-env': keyName } = values;
  const number = (name, fallback) => {
    const value = values[name] === undefined ? fallback : Number(values[name]);
    if (value !== undefined && !(value > 0)) throw new UsageError(`--${name} must be a number above 0`);
    return value;
  };
  const sources = [values.model, values.scripts, values.peek, values.check].filter((given) => given !== undefined);
  if (values.help !== true && sources.length !== 1) {
    throw new UsageError('give one of --model, --scripts, --peek and --check');
  }
  if (values.bare === true && values.scripts === undefined) throw new UsageError('--bare goes with --scripts');
  if ((values.model === undefined) !== (values['base-url'] === undefined)) {
    throw new UsageError('--model and --base-url go together');
  }
  const { questions = listNames[0] } = values;
  if (!listNames.includes(questions)) throw new UsageError(`--questions must be one of: ${listNames.join(', ')}`);
  return {
    ...values,
    questions,
    baseUrl: baseUrl?.replace(/\/+$/, ''),
    key: keyName === undefined ? undefined : process.env[keyName],
    scale: number('scale', 1),
    seconds: number('seconds', 2),
    atLeast: number('at-least', undefined),
  };
}

/** @returns {Record<string, any>} */
function read(args) {
  const text = { type: /** @type {const} */ ('string') };
  const flag = { type: /** @type {const} */ ('boolean') };
  try {
    const { values } = parseArgs({
      args,
      options: {
        model: text,
        'base-url': text,
        scripts: text,
        peek: text,
        check: flag,
        bare: flag,
        questions: text,
        'key-env': text,
        only: { ...text, multiple: true },
        scale: text,
        seconds: text,
        page: text,
        json: text,
        'at-least': text,
        help: flag,
      },
    });
    return values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
