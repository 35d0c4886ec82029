// node scripts/build.mjs: what `npm run build` does, and every test run before its first test.
import { build } from './build/index.mjs';

await build();
