import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withGraph } from '../../scripts/house/graph.mjs';
import { root } from '../docs/blocks.ts';

it('the graph of packages in docs/architecture.md is that of the manifests; if not: npm run house', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  expect(page).toBe(withGraph(page));
  const edited = page.replace(/^client +→ daemon$/m, 'client      → paths');
  expect(edited).not.toBe(page);
  expect(withGraph(edited)).toBe(page);
});
