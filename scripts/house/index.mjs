// npm run house: writes what follows from the table of rooms and from the manifests. These are the import boundaries in
// .oxlintrc.rooms.json, which .oxlintrc.json extends, and the graph of packages in docs/architecture.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { boundaries } from './boundaries.mjs';
import { withGraph } from './graph.mjs';

const architecture = new URL('../../docs/architecture.md', import.meta.url);

writeFileSync(new URL('../../.oxlintrc.rooms.json', import.meta.url), await boundaries());
writeFileSync(architecture, withGraph(readFileSync(architecture, 'utf8')));
