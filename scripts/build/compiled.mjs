// Compiles what the sidecar loads: a start and a first script then take a third less processor time beyond Node's own.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientFolder, daemonFolder } from './bundle-options.mjs';
import { replaceFile } from './replace.mjs';
import { isFresh, writeStamp } from './stamp.mjs';

const own = (name) => fileURLToPath(new URL(name, import.meta.url));
const dist = (name) => join(daemonFolder, 'dist', name);
const bundles = [dist('sidecar.cjs'), dist('reading.cjs')];
/** Whether it is one of those that are compiled. @param {string} path */
export const isCompiled = (path) => bundles.includes(path);

const stamp = dist('.compiled.json');

/** What models write: V8 compiles a function when it is first called, and only those are kept. */
const scripts = [
  '1 + 1',
  `const lines = 'b 2\\na 1\\nc 3'.split('\\n').map((line) => line.trim());
const counts = new Map();
for (const line of lines) {
  const [name, amount] = line.split(' ');
  counts.set(name, (counts.get(name) ?? 0) + Number(amount));
}
const top = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 2);
const { length: found, ...rest } = { length: top.length, text: \`\${top.join()}\` };
let total = 0;
for (let i = 0; i < lines.length; i++) if (lines[i].startsWith('a') || /c (\\d+)/.test(lines[i])) total += i;
console.log(JSON.stringify({ found, rest, total, at: new Date(0).toISOString() }));
Object.entries(rest).map(([key, value]) => key.toUpperCase() + String(value).padStart(9)).filter(Boolean);`,
];

/** Compiles the bundles anew where they or this Node are others than at the last build. */
export async function compileBundles() {
  if (isFresh(stamp) && bundles.every(isOfThisNode)) return;
  const results = bundles.map((path) => `${path}.compiled`);
  for (const path of [...results, ...bundles.map((path) => `${path}.new`)]) rmSync(path, { force: true });
  await runSidecar();
  for (const path of bundles) {
    const made = `${path}.new`;
    if (!existsSync(made)) return;
    const line = lineOf(readFileSync(path, 'utf8'));
    replaceFile(`${path}.compiled`, Buffer.concat([Buffer.from(`${line}\n`), readFileSync(made)]));
    rmSync(made);
  }
  const flags = join(clientFolder, 'dist/node-flags.js');
  writeStamp(stamp, [
    ...bundles,
    dist('main.cjs'),
    flags,
    own('compiled.mjs'),
    own('compiled-preload.cjs'),
    ...results,
  ]);
}

/** As `compiledLine()` of the daemon has it. */
function lineOf(source) {
  const { version, platform, arch } = process;
  return [source.slice(0, source.indexOf('\n')), version, platform, arch].join(' ');
}

function isOfThisNode(path) {
  return readFileSync(`${path}.compiled`)
    .toString('latin1', 0, 200)
    .startsWith(`${lineOf(readFileSync(path, 'utf8'))}\n`);
}

/**
 * Runs the scripts in a sidecar with the flags that clients give it: V8 refuses what was compiled with others. What fails
 * is left to the tests, because sources that are being worked on may well not run.
 */
async function runSidecar() {
  try {
    const { createSandbox } = await import('../../packages/sandbox-client/dist/index.js');
    const { nodeFlags } = await import('../../packages/sandbox-client/dist/node-flags.js');
    const command = [process.execPath, ...nodeFlags(undefined), '-r', own('compiled-preload.cjs'), dist('main.cjs')];
    const sandbox = createSandbox({ command, spares: 0 });
    for (const script of scripts) await sandbox.run({ script, onConsole() {} });
    await sandbox.close();
  } catch {
    // A sidecar then starts slower.
  }
}
