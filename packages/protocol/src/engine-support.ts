import { messageOf } from './errors.ts';
import { isShortage, resolvePackage } from './resolve-package.ts';

/** The platforms that the engine is published for, and the package of each. */
const packages = new Map([
  ['darwin-arm64', '@mustardscript/binding-darwin-arm64'],
  ['darwin-x64', '@mustardscript/binding-darwin-x64'],
  ['linux-x64', '@mustardscript/binding-linux-x64-gnu'],
  ['win32-x64', '@mustardscript/binding-win32-x64-msvc'],
]);

/** Whether there is an engine for a platform, and if so the path of its `package.json`. */
export type EngineSupport =
  { available: true; packageName: string; manifestPath: string } | { available: false; reason: string };

/** Why nothing can run in this runtime, or `undefined` when it is Node. Bun passes for Node. */
export function problemOfRuntime(): string | undefined {
  const { bun } = process.versions;
  if (bun === undefined) return undefined;
  return `Bun (${bun}) is not supported. Start this program with Node 20.19 or later.`;
}

/**
 * Tells whether scripts can run here: looks for the prebuilt engine of this platform without loading it. Takes well
 * under a millisecond. Never throws. Only a sidecar can tell whether an installed engine also loads.
 */
export function engineSupport(platform: string = process.platform, arch: string = process.arch): EngineSupport {
  const problem = problemOfRuntime();
  if (problem !== undefined) return { available: false, reason: problem };
  const target = `${platform}-${arch}`;
  const packageName = packages.get(target);
  if (packageName === undefined) {
    const reason = `No engine is published for ${target}, only for ${[...packages.keys()].join(', ')}.`;
    return { available: false, reason };
  }
  try {
    const manifestPath = resolvePackage(`${packageName}/package.json`, import.meta.url);
    return { available: true, packageName, manifestPath };
  } catch (error) {
    if (isShortage(error)) return { available: false, reason: `Could not look for the engine: ${messageOf(error)}.` };
    const reason =
      `The engine for ${target} is not installed. Install ${packageName}: it is an optional dependency, ` +
      'which an install with --omit=optional, or a lockfile made on another platform, leaves out.';
    return { available: false, reason };
  }
}
