import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/**
 * Loads a bundle in the manner of `require`, with the code that the build has compiled for it if that belongs to this
 * very Node. Otherwise V8 reads the source once to find its functions, and each function again when it is first called.
 * This saves a third of the processor time that a start and a first script take in addition to Node's own.
 *
 * @param path of a bundle in CommonJS
 */
export function loadCompiled(path: string): unknown {
  const source = readFileSync(path, 'utf8');
  const wrapped = `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
  const script = new Script(wrapped, { filename: path, cachedData: compiledOf(path, source) });
  const run = script.runInThisContext() as (...args: unknown[]) => void;
  const module = { exports: {} as unknown };
  run(module.exports, createRequire(path), module, path, dirname(path));
  return module.exports;
}

/**
 * The compiled code that the build left, after a line that identifies its bundle. V8 itself refuses code of another
 * version or other flags, but of the source it compares only the length.
 */
function compiledOf(path: string, source: string): Buffer | undefined {
  let compiled: Buffer;
  try {
    compiled = readFileSync(`${path}.compiled`);
  } catch {
    return undefined;
  }
  const end = compiled.indexOf(10);
  return compiled.toString('latin1', 0, end) === compiledLine(source) ? compiled.subarray(end + 1) : undefined;
}

/**
 * The build writes the hash of a bundle into its first line, because hashing it at each start takes as long as
 * compiling it.
 */
function compiledLine(source: string): string {
  const { version, platform, arch } = process;
  return [source.slice(0, source.indexOf('\n')), version, platform, arch].join(' ');
}
