// Packs all packages, which belong together: `npm run pack -- DIR`, then `npm install DIR/*.tgz` in another project.
// They are in no registry. npm takes what they need of each other from the tarballs that are installed with them; pnpm
// and Bun ask the registry, unless they are told by overrides where each is.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @param {string} target */
async function pack(target) {
  await mkdir(target, { recursive: true });
  const args = ['pack', '--workspaces', '--json', '--pack-destination', target];
  const { stdout } = await execa('npm', args, { cwd: root });
  /** @type {Record<string, { name: string, filename: string }>} */
  const packed = JSON.parse(stdout);
  const overrides = Object.fromEntries(
    Object.values(packed).map(({ name, filename }) => [name, `file:${join(target, filename)}`]),
  );
  await writeFile(join(target, 'overrides.json'), `${JSON.stringify({ overrides }, null, 2)}\n`);
  // JSON is YAML.
  await writeFile(join(target, 'pnpm-workspace.yaml'), `overrides: ${JSON.stringify(overrides, null, 2)}\n`);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Name the folder for the tarballs: npm run pack -- DIR');
  process.exitCode = 2;
} else {
  const target = resolve(folder);
  await pack(target);
  console.log(`Packed. In another project: npm install ${target}/*.tgz`);
  console.log(`pnpm and Bun need the overrides in ${target} first: docs/start.md, "Install".`);
}
