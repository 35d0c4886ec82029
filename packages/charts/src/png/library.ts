import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { CanvasKit, Typeface } from 'canvaskit-wasm';
import { SandboxError } from '@mustard-sandbox/protocol';

/** Skia, and the letters that it draws. They are the same on every machine, also where no fonts are installed. */
export interface Library {
  kit: CanvasKit;
  regular: Typeface;
  bold: Typeface;
}

let loading: Promise<Library> | undefined;

/**
 * Loads the library once, in about 0.1 s.
 *
 * @throws {SandboxError} `invalid_request` when it is not installed
 */
export async function library(): Promise<Library> {
  loading ??= load();
  try {
    return await loading;
  } catch (error) {
    // It may be installed while this process runs.
    loading = undefined;
    throw error;
  }
}

/** Makes the next drawing begin anew, because after a trap WebAssembly is of no use any more. */
export function forgetLibrary(): void {
  loading = undefined;
}

async function load(): Promise<Library> {
  try {
    const { default: module } = await import('canvaskit-wasm');
    const kit = await module.default();
    const [regular, bold] = await Promise.all([typeface(kit, 'Regular'), typeface(kit, 'Medium')]);
    return { kit, regular, bold };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw error;
    throw new SandboxError(
      'invalid_request',
      'A PNG needs canvaskit-wasm and roboto-fontface, which are not installed: npm install canvaskit-wasm@0.42.0 roboto-fontface@0.10.0.',
    );
  }
}

async function typeface(kit: CanvasKit, weight: 'Regular' | 'Medium'): Promise<Typeface> {
  const path = createRequire(import.meta.url).resolve(`roboto-fontface/fonts/roboto/Roboto-${weight}.woff2`);
  const { buffer } = Uint8Array.from(await readFile(path));
  const face = kit.Typeface.MakeTypefaceFromData(buffer);
  if (face === null) throw new Error(`${path} is not a font.`);
  return face;
}
