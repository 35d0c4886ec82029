import { builtins, installedBuiltins, type BuiltinName } from '@mustard-sandbox/client';
import { closest } from '../../closest.ts';
import { exitCodes } from '../../exit-code.ts';
import { UsageError } from '../../failure.ts';
import { styled, writeLine } from '../../output.ts';
import type { Report } from '../../report.ts';

interface ScriptFunction {
  name: string;
  declaration: string;
  summary: string;
  isInstalled: boolean;
  /** The package that the built-in needs. */
  library?: string;
}

/**
 * All functions, or one of them.
 *
 * @throws {UsageError} when there is no such function; its hint has the name that may have been meant
 */
export function functions(name: string | undefined): Report {
  const all = list();
  const wanted = name === undefined ? all : all.filter((one) => one.name === name);
  if (name !== undefined && wanted.length === 0) {
    const suggestion = closest(
      name,
      all.map((one) => one.name),
    );
    const help = '`mustard-sandbox functions` prints them all';
    throw new UsageError(
      `There is no function '${name}'.`,
      suggestion === undefined ? help : `Did you mean ${suggestion}? ${help}`,
    );
  }
  return {
    json: { ok: true, functions: wanted },
    print: () => writeLine(process.stdout, wanted.map(render).join('\n\n')),
    exitCode: exitCodes.done,
  };
}

function list(): ScriptFunction[] {
  const installed = installedBuiltins();
  return (Object.keys(builtins) as BuiltinName[]).map((name) => {
    const { declaration, summary, library }: { declaration: string; summary: string; library?: string } =
      builtins[name];
    return {
      name,
      declaration,
      summary,
      isInstalled: installed.includes(name),
      ...(library !== undefined && { library }),
    };
  });
}

function render({ declaration, summary, isInstalled, library }: ScriptFunction): string {
  const missing = isInstalled ? '' : ` Not installed here: it needs ${library}.`;
  return `${styled(process.stdout, 'dim', `// ${summary}${missing}`)}\n${declaration}`;
}
