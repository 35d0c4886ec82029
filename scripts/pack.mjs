// Packs all packages, which belong together: `npm run pack -- DIR`, then `npm install DIR/*.tgz` in another project.
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const root = fileURLToPath(new URL('..', import.meta.url));

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Name the folder for the tarballs: npm run pack -- DIR');
  process.exitCode = 2;
} else {
  const target = resolve(folder);
  await mkdir(target, { recursive: true });
  await execa('npm', ['pack', '--workspaces', '--pack-destination', target], { cwd: root });
  console.log(`Packed. In another project: npm install ${target}/*.tgz`);
}
