import type {
  Calls,
  Completed,
  EngineRun,
  Outcome,
  Setup,
} from '../../packages/sandbox-daemon/src/engine/interface.ts';
import { loadBinding } from '../../packages/sandbox-daemon/src/engine/mustardscript/binding.ts';
import { MustardScript } from '../../packages/sandbox-daemon/src/engine/mustardscript/engine.ts';
import { loadReadingBy, readTyped } from '../../packages/sandbox-daemon/src/engine/read/read.ts';
import type { Program } from '../../packages/sandbox-daemon/src/engine/read/program.ts';
import * as reading from '../../packages/sandbox-daemon/src/engine/read/reading.ts';
import {
  compileFailure,
  decodeValue,
  encodeValue,
  limitsSchema,
  type LimitOptions,
  type SandboxValue,
} from '@mustard-sandbox/protocol';

loadReadingBy(() => reading);
export const mustardScript = new MustardScript(loadBinding());

/** The script as the engine gets it in the sidecar. */
export function programOf(source: string): Program {
  const result = readTyped(source);
  if ('diagnostics' in result) throw compileFailure(result.diagnostics);
  return result;
}

/** What the engine itself makes of a script that nobody has read. */
export function unread(source: string): Program {
  return { source, code: source, waits: false };
}

export interface RunOptions {
  inputs?: unknown;
  hostFunctions?: string[];
  builtins?: string[];
  limits?: LimitOptions;
  /** Answers the calls; with 1 where it is left out. */
  answer?: (name: string, args: SandboxValue[]) => Outcome;
}

export function setupOf({ inputs = {}, hostFunctions = ['ask'], builtins = [], limits = {} }: RunOptions = {}): Setup {
  const wire = encodeValue(inputs, 'inputs');
  return { limits: limitsSchema.parse(limits), inputs: wire, builtins: [...builtins, 'console.log'], hostFunctions };
}

export interface Ran extends Completed {
  result: SandboxValue;
  calls: [name: string, ...args: SandboxValue[]][];
  instructions: number;
  warnings: EngineRun['warnings'];
}

/** Runs a program to its end, with calls that are answered here. */
export function finish(run: EngineRun, { answer = () => ({ value: { json: 1 } }) }: RunOptions = {}): Ran {
  using _ = run;
  const calls: Ran['calls'] = [];
  const call: Calls['call'] = (name, args) => {
    calls.push([name, ...args]);
    return answer(name, args);
  };
  const none = (): never => {
    throw new Error('This engine waits for each call.');
  };
  const completed = run.finish({ call, begin: none, next: none, look() {} });
  const { instructions, warnings } = run;
  return { ...completed, result: decodeValue(completed.value), calls, instructions, warnings };
}

export function runMustard(program: Program, options: RunOptions = {}, engine = mustardScript): Ran {
  return finish(engine.prepare(program, setupOf(options)), options);
}
