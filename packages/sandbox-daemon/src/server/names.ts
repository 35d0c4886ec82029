import { entriesOf, nameIsTaken } from '@mustard-sandbox/protocol/sidecar';
import {
  messageOf,
  partsOfFunctionName,
  problemOfFunctionNames,
  problemOfGlobalName,
  SandboxError,
  type Params,
} from '@mustard-sandbox/protocol';

/**
 * Names of host functions and inputs become globals of the script. None may hide an existing global.
 *
 * @throws {SandboxError} `invalid_request`
 */
export function checkNames({ hostFunctions, inputs }: Pick<Params<'sandbox/run'>, 'hostFunctions' | 'inputs'>): void {
  const taken = problemOfFunctionNames(hostFunctions);
  if (taken !== undefined) refuse(taken.name, taken.problem);
  if (inputs === undefined) return;
  const object: unknown = 'json' in inputs ? inputs.json : inputs.tagged;
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    throw new SandboxError('invalid_request', 'inputs must be an object: each key becomes a variable of the script.');
  }
  const globals = new Set(hostFunctions.map((name) => partsOfFunctionName(name).global));
  const names = 'json' in inputs ? Object.keys(object) : namesOfTagged(object);
  if (new Set(names).size < names.length)
    throw new SandboxError('invalid_request', 'inputs: two of them have the same name.');
  for (const name of names) {
    refuse(name, problemOfGlobalName('input', name));
    if (globals.has(name)) refuse(name, nameIsTaken('input', name, 'it is a host function'));
  }
}

function namesOfTagged(inputs: object): string[] {
  try {
    return entriesOf(inputs).map(([name]) => name);
  } catch (error) {
    throw new SandboxError('invalid_request', `inputs: ${messageOf(error)}`);
  }
}

function refuse(name: string, problem: string | undefined): void {
  if (problem !== undefined) throw new SandboxError('invalid_request', problem, { details: { name } });
}
