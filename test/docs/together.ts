import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const runner = fileURLToPath(new URL('fixtures/together.mjs', import.meta.url));

export interface Written {
  stdout: string;
  stderr: string;
}

/**
 * Runs JavaScript modules in one process, one after another, each in its own folder.
 *
 * @param before a module that is loaded before each
 * @returns what each wrote, by its path, and how the process ended by itself after the last
 */
export async function runTogether(
  paths: string[],
  before?: string,
): Promise<{ exitCode: number | undefined; written: Map<string, Written> }> {
  const options = before === undefined ? [] : ['--before', before];
  const { exitCode, stdout, stderr } = await execa(process.execPath, [runner, ...options, ...paths], { reject: false });
  const [outputs, errors] = [partsOf(stdout), partsOf(stderr)];
  const written = paths.map(
    (path) => [path, { stdout: outputs.get(path) ?? '', stderr: errors.get(path) ?? '' }] as const,
  );
  return { exitCode, written: new Map(written) };
}

/** What follows each line with a path. */
function partsOf(text: string): Map<string, string> {
  const parts = `\n${text}`.split('\n=== ').slice(1);
  return new Map(
    parts.map((part) => {
      const [path = '', ...lines] = part.split('\n');
      return [path, lines.join('\n').replace(/\n$/, '')];
    }),
  );
}
