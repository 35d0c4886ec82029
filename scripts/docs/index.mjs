// npm run docs: writes the pages of docs/reference from the sources, the schemas, a real session and the command's help.
// npm run docs -- --check: writes nothing, and fails when a page is not what it would write.
// --out FOLDER: another folder than docs/reference.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { apiPages, undocumentedApi } from './api.mjs';
import { cliPage } from './cli.mjs';
import { formatted } from './formatted.mjs';
import { protocolPage, undocumentedProtocol } from './protocol.mjs';
import { root } from './source.mjs';

const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'docs/reference') },
  },
});

const undocumented = [...(await undocumentedProtocol()), ...(await undocumentedApi())];
if (undocumented.length > 0) fail(`These are public and have no docstring:\n  ${undocumented.join('\n  ')}`);

const pages = { 'protocol.md': await protocolPage(), 'cli.md': cliPage(), ...(await apiPages()) };
const stale = [];
for (const [name, text] of Object.entries(pages)) {
  const path = resolve(options.out, name);
  const page = await formatted(text);
  if (existsSync(path) && readFileSync(path, 'utf8') === page) continue;
  stale.push(relative(process.cwd(), path));
  if (options.check) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, page);
}

if (options.check && stale.length > 0) fail(`Not what the sources say: ${stale.join(', ')}. Run npm run docs.`);
console.log(stale.length === 0 ? 'All pages are up to date.' : `Written: ${stale.join(', ')}.`);

function fail(message) {
  console.error(message);
  process.exit(1);
}
