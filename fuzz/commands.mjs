import { parseArgs } from 'node:util';

export class UsageError extends Error {}

/** What can be fuzzed. */
export const targets = {
  wire: {
    summary: 'broken and unusual messages, into a real daemon and into the client from a fake daemon',
    load: () => import('./wire.mjs'),
  },
  paths: {
    summary: 'guest paths against a real tree with links, pipes and secrets',
    load: () => import('./paths.mjs'),
  },
  contents: {
    summary: 'files of any content, as lines, searches, JSON and tables give them, against plain Node',
    load: () => import('./contents.mjs'),
  },
  values: {
    summary: 'values from host to script and back, by inputs, results, arguments and literals',
    load: () => import('./values.mjs'),
  },
  language: {
    summary: 'programs in V8 and in the sandbox, and scripts that are to break the parser',
    // CI has it look at the same programs each time; of the others new input is wanted.
    apart: true,
    load: () => import('./language.mjs'),
  },
};

/** @returns {'help' | { names: string[], seconds: number, seed: number, batches: number, programs?: number, maxFindings?: number, tables: boolean, choose: boolean, json: boolean }} */
export function parseCommand(args) {
  if (args.length === 0 || args.includes('--help') || args.includes('-h')) return 'help';
  const { values, positionals } = parse(args);
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new UsageError('One target is wanted.');
  if (name !== 'all' && !Object.hasOwn(targets, name)) throw new UsageError(`Unknown target '${name}'.`);
  const tables = values.tables === true;
  if (tables && name !== 'language') throw new UsageError('--tables is for language.');
  const choose = values.choose === true;
  if (choose && (name !== 'language' || tables)) throw new UsageError('--choose is for language, without --tables.');
  const onlyPrograms = values.programs !== undefined;
  if (onlyPrograms && (name !== 'language' || tables))
    throw new UsageError('--programs is for language, without --tables.');
  if (tables && values.seed !== undefined) throw new UsageError('--tables has no seed: it is always the same.');
  return {
    names: name === 'all' ? Object.keys(targets).filter((each) => !targets[each].apart) : [name],
    seconds: wholeNumber('seconds', values.seconds ?? (tables || choose || onlyPrograms ? '86400' : '60'), 1),
    seed: wholeNumber('seed', tables ? '0' : (values.seed ?? String(Math.floor(Math.random() * 1e9))), 0),
    tables,
    choose,
    batches: values.batches === undefined ? Infinity : wholeNumber('batches', values.batches, 1),
    ...(onlyPrograms && { programs: wholeNumber('programs', values.programs, 1) }),
    ...(values.findings !== undefined && { maxFindings: wholeNumber('findings', values.findings, 1) }),
    json: values.json === true,
  };
}

/** @param {string[]} args */
function parse(args) {
  const options = /** @type {const} */ ({
    seconds: { type: 'string' },
    seed: { type: 'string' },
    batches: { type: 'string' },
    findings: { type: 'string' },
    tables: { type: 'boolean' },
    choose: { type: 'boolean' },
    programs: { type: 'string' },
    json: { type: 'boolean' },
  });
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: true });
  } catch (/** @type {any} */ error) {
    throw new UsageError(error.message, { cause: error });
  }
}

function wholeNumber(option, text, least) {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UsageError(`--${option} wants a whole number from ${least}, not '${text}'.`);
}

export function help() {
  const lines = ['npm run fuzz -- TARGET [options]', ''];
  for (const [name, { summary }] of Object.entries(targets)) lines.push(`  ${name.padEnd(10)}${summary}`);
  lines.push('  all       each of them but language, one after another', '');
  lines.push('  --seconds N  how long for each target (60)', '  --seed N     where to start (random)');
  lines.push('  --batches N  at most so many batches of each law, whatever the time: the same input each time');
  lines.push('  --findings N end after so many (5)');
  lines.push('  --tables     of language: every method and operator with every kind of argument, once');
  lines.push('  --choose     of language: scripts that auto gives to MustardScript, there and in V8 (100000)');
  lines.push(
    '  --programs N of language: random programs alone, at least so many; ends with a line that a person reads',
  );
  lines.push('  --json       print only the last line', '');
  lines.push('Else the last line on stdout is JSON. A finding is made small, printed, and written to .fuzz/ with the');
  lines.push('seed that repeats it. Exit code 0: none; 1: some; 2: wrong usage.', '');
  return lines.join('\n');
}
