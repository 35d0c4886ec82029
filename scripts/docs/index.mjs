// npm run docs: writes the reference to docs/reference, which is not in git, from the schemas, the docstrings of the
// sources, a real session with the sidecar and the command's help. Fails when something public has no docstring.
// --out FOLDER: writes to another folder.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { apiPages, undocumentedApi } from './api.mjs';
import { cliPage } from './cli.mjs';
import { formatted } from './formatted.mjs';
import { protocolPage, undocumentedProtocol } from './protocol.mjs';
import { root } from './source.mjs';

const { values: options } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'docs/reference') } },
});

const undocumented = [...(await undocumentedProtocol()), ...(await undocumentedApi())];
if (undocumented.length > 0) {
  console.error(`These are public and have no docstring:\n  ${undocumented.join('\n  ')}`);
  process.exit(1);
}

const pages = { 'protocol.md': await protocolPage(), 'cli.md': cliPage(), ...(await apiPages()) };
for (const [name, text] of Object.entries(pages)) {
  const path = resolve(options.out, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await formatted(text));
}
console.log(`Written to ${relative(process.cwd(), resolve(options.out))}: ${Object.keys(pages).join(', ')}.`);
