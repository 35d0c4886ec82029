import { encodeValue, limitTable, maxConsoleRunCharacters, type ParamsIn } from '@mustard-sandbox/protocol';
import { HostCalls } from '../host-calls.ts';
import type { RunRequest } from '../run-request.ts';
import type { ParallelCall } from './call.ts';
import type { Group } from './group.ts';

/** What one sidecar may still use for runs of one call: ms, and instructions of the engine. */
export interface Left {
  ms: number;
  instructions: number;
}

/** A script has no host functions here, so it starts no further runs and saves nothing. */
const noCalls = new HostCalls({}, undefined);

/** The runs for the paths of one call: each with the files and the limits of the run that called, or what is left of them. */
export class Children {
  readonly #parent: RunRequest;
  #consoleLeft = maxConsoleRunCharacters;

  constructor(parent: RunRequest) {
    this.#parent = parent;
  }

  of(runId: string, { script, values }: ParallelCall, group: Group, path: string, left: Left): RunRequest {
    const { params, callersContext } = this.#parent;
    const { scope, limits, engine } = params;
    const timeoutMs = Math.ceil(left.ms);
    const outputBytes = Math.min(limits?.outputBytes ?? limitTable.outputBytes.default, group.output.left);
    const own: ParamsIn<'sandbox/run'> = {
      runId,
      script,
      inputs: inputsOf(path, values),
      limits: {
        ...limits,
        timeoutMs,
        instructions: atLeastOne(left.instructions),
        outputBytes: atLeastOne(outputBytes),
      },
    };
    if (engine !== undefined) own.engine = engine;
    if (scope !== undefined) own.scope = { ...scope, maxTotalReadBytes: atLeastOne(group.bytes.left) };
    const onConsole = this.#console();
    return {
      params: own,
      timeoutMs,
      isAwaited: true,
      callsHost: onConsole !== undefined,
      hostCalls: noCalls,
      onStart: () => {},
      onConsole,
      onProgress: undefined,
      signal: group.over,
      callersContext,
    };
  }

  /** All of them together may print as much as one run. */
  #console(): RunRequest['onConsole'] {
    const { onConsole } = this.#parent;
    if (onConsole === undefined) return undefined;
    return (line) => {
      this.#consoleLeft -= line.text.length + 1;
      if (this.#consoleLeft >= 0) onConsole(line);
    };
  }
}

function inputsOf(path: string, values: readonly unknown[]): ParamsIn<'sandbox/run'>['inputs'] {
  const [value] = values;
  return encodeValue({ parallel_path: path, ...(values.length > 0 && { parallel_value: value }) }, 'the value');
}

/** No limit may be 0. */
function atLeastOne(left: number): number {
  return Math.max(1, Math.floor(left));
}
