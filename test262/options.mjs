import { parseArgs } from 'node:util';
import { everything } from './tests.mjs';

export class UsageError extends Error {}

/** What may be asked for by `--list`. */
const lists = ['pass', 'refused', 'documented', 'value', 'error', 'invalid'];

export const usage = `npm run test262 -- [OPTIONS]: the conformance tests of JavaScript, in V8 and in the sandbox.

Without the package of the tests it is fetched first, into test262/node_modules: 4 MB from the registry, 32,000 files.

  --only NAMES   some of the built-ins, such as String,Math; or folders of the tests, such as language/expressions/addition.
                 Without it: all of ${everything.join(' and ')}
  --list OUTCOME the files of an outcome, with what was said: ${lists.join(', ')}; or wrong, for value and error.
                 May be given more than once
  --outside      lists those that ask for what the sandbox does not have, too
  --page FILE    writes the page: docs/test262.md; not with --only
  --json FILE    writes every outcome as JSON
  --package DIR  where the package is, in place of the one that is fetched
  --help

value: an assertion failed, the wrong that a script does not notice. error: another error than a refusal.
Progress goes to stderr. Exit code 0: it ran to its end; 2: wrong usage; 130: Ctrl-C.
`;

/** @returns {{ help?: boolean, names: string[], lists: string[], outside: boolean, page?: string, json?: string,
 *   root?: string }} */
export function parseOptions(args) {
  const { values, positionals } = parse(args);
  if (positionals.length > 0) throw new UsageError(`Unknown argument '${positionals[0]}'.`);
  const names = (values.only ?? []).flatMap((names) => names.split(',')).filter((name) => name !== '');
  if (values.only !== undefined && names.length === 0)
    throw new UsageError('--only wants names of built-ins or folders.');
  if (values.page !== undefined && names.length > 0) throw new UsageError('--page is of all tests: leave out --only.');
  const wanted = values.list ?? [];
  const unknown = wanted.find((name) => name !== 'wrong' && !lists.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`--list wants one of ${lists.join(', ')} or wrong, not '${unknown}'.`);
  return {
    ...(values.help === true && { help: true }),
    names: names.length > 0 ? names : everything,
    lists: wanted.flatMap((name) => (name === 'wrong' ? ['value', 'error'] : [name])),
    outside: values.outside === true,
    ...(values.page !== undefined && { page: values.page }),
    ...(values.json !== undefined && { json: values.json }),
    ...(values.package !== undefined && { root: values.package }),
  };
}

/** @param {string[]} args @returns {{ values: Record<string, any>, positionals: string[] }} */
function parse(args) {
  const options = /** @type {const} */ ({
    only: { type: 'string', multiple: true },
    list: { type: 'string', multiple: true },
    outside: { type: 'boolean' },
    page: { type: 'string' },
    json: { type: 'string' },
    package: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  });
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: true });
  } catch (/** @type {any} */ error) {
    throw new UsageError(error.message, { cause: error });
  }
}
