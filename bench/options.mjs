import { parseArgs } from 'node:util';
import { figures } from './figures/index.mjs';
import { growth } from './growth/index.mjs';

export class UsageError extends Error {}

const groups = { figures: Object.keys(figures), growth: Object.keys(growth) };
const all = [...groups.figures, ...groups.growth];
/**
 * Files of 80 MB and more, and an upload, take ten seconds and more; the programs of `language` run into time limits in the
 * engine alone: minutes, however few rounds.
 */
const notQuick = ['bash', 'language', 'parallel', 'query', 'readers', 'remote-upload', 'search'];
const quickFigures = groups.figures.filter((name) => !notQuick.includes(name));

export const usage = `npm run bench -- [options]

  --only NAME[,NAME]  measure these alone, in this order:
                      figures: ${wrap(groups.figures, 22)},
                      growth: ${wrap(groups.growth, 22)}
  --quick             less of everything; of \`growth\` and these only what --only names:
                      ${wrap(notQuick, 22)}
  --check             fail for a ratio worse than twice its wanted figure, or than its bound in bench/wanted.mjs;
                      what fails is measured again, twice at most
  --json FILE         write what was measured; \`npm run docs:performance -- FILE\` makes docs/performance.md of it
  --help              this text

Ratios are on stdout, progress on stderr. Peers that are not installed are skipped: npm run bench:peers.
Exit code 0: measured; 1: something failed, or --check did; 2: wrong usage.
`;

/** Names on lines of about 80 characters. */
function wrap(names, indent) {
  const lines = [''];
  for (const name of names) {
    const last = lines.length - 1;
    if (lines[last].length + name.length > 80) lines.push(`${name},`);
    else lines[last] += `${lines[last] === '' ? '' : ' '}${name},`;
  }
  return lines.join(`\n${' '.repeat(indent)}`).replace(/,$/, '');
}

/**
 * @param {string[]} args
 * @returns {{ help: true } | { help: false, names: string[], quick: boolean, check: boolean, json: string | undefined }}
 * @throws {UsageError}
 */
export function parseOptions(args) {
  const { help, only, quick, check, json } = parse(args);
  if (help) return { help };
  const asked = only?.split(',').flatMap((name) => groups[name] ?? [name]);
  const unknown = asked?.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new UsageError(`There is nothing named '${unknown}' to measure.`);
  const names = asked ?? (quick ? quickFigures : all);
  return { help: false, names: [...new Set(names)], quick, check, json };
}

/**
 * @param {string[]} args
 * @returns {{ help: boolean, quick: boolean, check: boolean, only?: string, json?: string }}
 */
function parse(args) {
  const boolean = /** @type {const} */ ({ type: 'boolean', default: false });
  const text = /** @type {const} */ ({ type: 'string' });
  try {
    /** @type {import('node:util').ParseArgsConfig['options']} */
    const options = { help: boolean, quick: boolean, check: boolean, only: text, json: text };
    const { values } = parseArgs({ args, options, strict: true, allowPositionals: false });
    return /** @type {ReturnType<typeof parse>} */ (values);
  } catch (/** @type {any} */ error) {
    throw new UsageError(error.message, { cause: error });
  }
}
