import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { engineSupport, messageOf, withoutPaths, type EngineInfo } from '@mustard-sandbox/protocol';

/**
 * The native calls of `@mustardscript/binding-*` 0.3.0 that the adapter uses. Handles are opaque strings that the addon
 * owns until they are released. Steps come back as JSON; failures are thrown as `Error` with a message that
 * `diagnostics.ts` reads.
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
  dumpSnapshotHandle(snapshot: string): Buffer;
  /** The hash that a policy must be signed for. */
  snapshotIdentity(dumped: Buffer): string;
  loadDetachedSnapshotHandle(program: string, dumped: Buffer, policyJson: string): string;
}

export interface LoadedBinding {
  info: EngineInfo;
  /** Absent when it could not be loaded; `info.reason` says why. */
  binding?: Binding;
}

/** Finds and loads the prebuilt engine of this platform. Never throws. */
export function loadBinding(platform: string = process.platform, arch: string = process.arch): LoadedBinding {
  const support = engineSupport(platform, arch);
  if (!support.available) return unavailable(support.reason);
  const { packageName, manifestPath } = support;
  try {
    const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as { version: string; main: string };
    const path = join(dirname(manifestPath), manifest.main);
    return {
      info: { name: 'mustardscript', version: manifest.version, available: true, path },
      binding: createRequire(import.meta.url)(path) as Binding,
    };
  } catch (error) {
    return unavailable(
      `The engine for ${platform}-${arch} (${packageName}) is installed but did not load: ${withoutPaths(messageOf(error))}`,
    );
  }
}

function unavailable(reason: string): LoadedBinding {
  return { info: { name: 'mustardscript', available: false, reason } };
}
