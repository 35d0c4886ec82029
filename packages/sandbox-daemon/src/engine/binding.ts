import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { EngineInfo } from '../protocol/methods.ts';
import { messageOf } from '../protocol/errors.ts';
import { withoutPaths } from '../protocol/text.ts';

/**
 * The native calls of `@mustardscript/binding-*` 0.3.0 that the adapter uses. Handles are opaque
 * strings owned by the addon until released. Steps come back as JSON; failures are thrown as
 * `Error` with a message that `diagnostics.ts` reads.
 */
export interface Binding {
  compileProgramWithOptions(source: string, optionsJson: string): string;
  releaseProgram(program: string): void;
  createExecutionContext(policyJson: string): string;
  releaseExecutionContext(context: string): void;
  createCancellationToken(): string;
  cancelCancellationToken(token: string): void;
  releaseCancellationToken(token: string): void;
  startProgramWithExecutionContextHandleBuffer(program: string, context: string, inputs: Buffer, token: string): string;
  resumeSnapshotHandleBuffer(snapshot: string, payload: Buffer, token: string): string;
  releaseSnapshotHandle(snapshot: string): void;
}

export interface LoadedBinding {
  info: EngineInfo;
  /** Absent when it could not be loaded; `info.reason` says why. */
  binding?: Binding;
}

const packages = new Map([
  ['darwin-arm64', '@mustardscript/binding-darwin-arm64'],
  ['darwin-x64', '@mustardscript/binding-darwin-x64'],
  ['linux-x64', '@mustardscript/binding-linux-x64-gnu'],
  ['win32-x64', '@mustardscript/binding-win32-x64-msvc'],
]);

/** Finds and loads the prebuilt engine of this platform. Never throws. */
export function loadBinding(platform: string = process.platform, arch: string = process.arch): LoadedBinding {
  const target = `${platform}-${arch}`;
  const name = packages.get(target);
  if (name === undefined) {
    return unavailable(`No engine is published for ${target}, only for ${[...packages.keys()].join(', ')}.`);
  }
  const require = createRequire(import.meta.url);
  let manifestPath: string;
  try {
    manifestPath = require.resolve(`${name}/package.json`);
  } catch {
    return unavailable(
      `The engine for ${target} is not installed. Install ${name}: it is an optional dependency, ` +
        'which an install with --omit=optional, or a lockfile made on another platform, leaves out.',
    );
  }
  try {
    const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as { version: string; main: string };
    const path = join(dirname(manifestPath), manifest.main);
    return {
      info: { name: 'mustardscript', version: manifest.version, available: true, path },
      binding: require(path) as Binding,
    };
  } catch (error) {
    return unavailable(
      `The engine for ${target} (${name}) is installed but did not load: ${withoutPaths(messageOf(error))}`,
    );
  }
}

function unavailable(reason: string): LoadedBinding {
  return { info: { name: 'mustardscript', available: false, reason } };
}
