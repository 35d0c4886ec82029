// Run by npm as each package's prepack, with the package's folder as the working directory: what is published carries
// the licence and the attributions, and the repository keeps one copy of each. (npm leaves symbolic links out.)
import { copyFileSync } from 'node:fs';

for (const name of ['LICENSE', 'NOTICE']) copyFileSync(new URL(`../${name}`, import.meta.url), name);
