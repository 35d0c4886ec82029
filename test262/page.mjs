import { groups } from './groups.mjs';
import { packageName } from './install.mjs';
import { builtInOf, count, groupBy, outcomeOf, outcomes } from './tally.mjs';

/** @typedef {import('./run.mjs').Result} Result */

/** So many kinds of refusals stand on the page: the rest are rare. */
const mostKinds = 30;
/** More than so many would be a list that nobody reads. */
const mostFolders = 80;

const row = (cells) =>
  `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')).join(' | ')} |`;
const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
const heads = ['tests', 'pass', 'refused', 'documented', 'wrong value', 'other error', 'not valid'];
const cellsOf = (results) => Object.values(count(results));

/** The figures of a run in lines of text. @param {Result[]} results */
export function describe(results) {
  const claimed = results.filter(({ group }) => group === undefined);
  const lines = [line('what scripts have', claimed)];
  for (const [name, some] of groupBy(claimed, builtInOf)) lines.push(line(`  ${name}`, some));
  lines.push(
    line(
      'what they have not',
      results.filter(({ group }) => group !== undefined),
    ),
  );
  for (const { id } of groups) {
    const some = results.filter(({ group }) => group === id);
    if (some.length > 0) lines.push(line(`  ${id}`, some));
  }
  return lines.join('\n');
}

/** @param {string} name @param {Result[]} results */
function line(name, results) {
  const counts = count(results);
  const parts = outcomes.filter((outcome) => counts[outcome] > 0).map((outcome) => `${counts[outcome]} ${outcome}`);
  return `${name.padEnd(18)} ${String(counts.tests).padStart(5)} tests: ${parts.join(', ')}`;
}

/** Of the tests that V8 passes. @param {Result[]} results */
function percent(results) {
  const { tests, invalid, pass } = count(results);
  return tests === invalid ? '0.0 %' : `${((100 * pass) / (tests - invalid)).toFixed(1)} %`;
}

/** The page of a run of all tests. @param {Result[]} results */
export function pageOf(results) {
  const claimed = results.filter(({ group }) => group === undefined);
  const counts = count(claimed);
  const valid = counts.tests - counts.invalid;
  return `# Conformance

<!-- Written by \`npm run test262 -- --page docs/test262.md\`: change test262/page.mjs. -->

How much of JavaScript do [scripts](language.md) have? The tests of the standard (test262) run in V8 and as scripts of the
sandbox. Scripts have no modules, no shared memory and no code made from text.
Of the ${valid} other tests that V8 passes **${counts.pass} pass** here (${percent(claimed)}), ${counts.refused} are refused with a typed error,
${counts.documented} fail because of a row of [the table of differences](language.md#different-without-an-error), ${counts.value} get another
value, and ${counts.error} end with another error. Of all tests, ${percent(results)} pass.

\`\`\`text
npm run test262
npm run test262 -- --only String,Math,language/types
npm run test262 -- --list wrong
npm run test262 -- --page docs/test262.md
\`\`\`

The first line prints these figures, the third lists the wrong tests, and the last writes this page. A run takes
some minutes. The tests are the package \`${packageName}\`, a tree of 2017. [Random programs](../CONTRIBUTING.md#fuzzing) and
\`test/language\` cover what the language got later. The command fetches the package (4 MB, 32,000 files) into
\`test262/node_modules\`. Nothing else depends on it, and nothing of it is published. Its licence is the BSD licence of Ecma
International.

- **pass**: the test ends as it should, here and in V8.
- **refused**: the script does not run to its end, and the error says why.
- **documented**: V8 and the sandbox differ only by a row of the table of differences.
- **wrong value**: an assertion failed, which a script would not notice.
- **other error**: the script ended with an error that JavaScript does not have.
- **not valid**: the test fails in today's V8 as well.

A test for strict and sloppy mode runs in sloppy mode, in which scripts begin.

## What scripts have

${table(['', ...heads, 'of the valid'], [...byPlace(claimed), ['**all**', ...cellsOf(claimed), percent(claimed)]])}

## What scripts do not have

These tests need a feature that scripts do not have. A test that needs several is counted for the first.

${table(['', 'what', ...heads], outsideRows(results))}

## What is refused

The ${mostKinds} most frequent errors, in tests of what scripts have:

${table(['what', 'tests'], refusalRows(claimed))}

## What is wrong

Wrong values, other errors and documented differences, by the folder of the test:

${table(['tests', 'how many', 'error of the first'], wrongRows(claimed))}
`;
}

/** A row for each part in which a valid test does not pass, and one for all the others together. */
function byPlace(claimed) {
  const parts = [...groupBy(claimed, builtInOf)];
  const isWhole = ([, some]) => some.every((result) => ['pass', 'invalid'].includes(outcomeOf(result)));
  const whole = parts.filter(isWhole);
  const rest = whole.flatMap(([, some]) => some);
  return [
    ...parts.filter((part) => !isWhole(part)).map(([name, some]) => [`\`${name}\``, ...cellsOf(some), percent(some)]),
    [`the ${whole.length} other parts`, ...cellsOf(rest), percent(rest)],
  ];
}

function outsideRows(results) {
  return groups.map(({ id, what }) => [id, what, ...cellsOf(results.filter(({ group }) => group === id))]);
}

function refusalRows(claimed) {
  const refused = claimed.filter((result) => outcomeOf(result) === 'refused');
  return [...groupBy(refused, ({ why }) => why ?? '')]
    .map(([why, some]) => [code(why), some.length])
    .toSorted(([, one], [, other]) => Number(other) - Number(one))
    .slice(0, mostKinds);
}

function wrongRows(claimed) {
  const wrong = claimed.filter(({ verdict }) => verdict === 'wrong');
  /** @param {Result} result */
  const folderOf = ({ file }) => file.replace(/^test\//, '').replace(/\/[^/]*$/, '');
  const rows = [...groupBy(wrong, folderOf)]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([folder, some]) => [folder, some.length, code(some[0].why ?? '')]);
  if (rows.length <= mostFolders) return rows;
  return [
    ...rows.slice(0, mostFolders),
    [`and ${rows.length - mostFolders} more folders`, '', '`npm run test262 -- --list wrong`'],
  ];
}

/** As it stands: a message may hold what Markdown takes for its own. */
function code(text) {
  const short = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return `\`${short.replaceAll('`', "'").replaceAll(/\s+/g, ' ').trim()}\``;
}
