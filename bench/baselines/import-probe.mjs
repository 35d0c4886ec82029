// Imports the client in a fresh process, and says what that took and what came along.
import { createRequire } from 'node:module';

const startedAt = performance.now();
await import('@mustard-sandbox/client');
const importMs = performance.now() - startedAt;

Object.assign(process.report, { excludeNetwork: true }); // Newer than the types.
const { sharedObjects } = /** @type {{ sharedObjects: string[] }} */ (process.report.getReport());
const addons = sharedObjects.filter((name) => name.endsWith('.node'));
const { cache } = createRequire(import.meta.url);
const modules = [...Object.keys(cache), ...(globalThis.recordedModules?.() ?? [])];
process.stdout.write(JSON.stringify({ importMs, addons, modules: [...new Set(modules)] }));
