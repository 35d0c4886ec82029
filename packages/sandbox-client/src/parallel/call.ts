import { maxParallelFiles, parse, type SandboxValue } from '@mustard-sandbox/protocol';
import * as z from 'zod/mini';

const amount = z.number().check(z.gte(0));

const callSchema = z.tuple([
  z.strictObject({
    /** The script of each run. It reads the path from its input `parallel_path`. */
    script: z.string(),
    paths: z.array(z.string()).check(z.minLength(1), z.maxLength(maxParallelFiles)),
    /** What the run that calls has left, as its sidecar says: ms and bytes to read. */
    left: z.strictObject({ ms: amount, bytes: amount }),
    /** The input `parallel_value`, if there is one. */
    values: z.array(z.unknown()),
  }),
]);

/** What a sidecar asks for when its script calls `parallel`. */
export type ParallelCall = z.output<typeof callSchema>[0];

/** @throws {SandboxError} `invalid_request`: the script may have taken over the sidecar */
export function parseCall(args: SandboxValue[]): ParallelCall {
  return parse(callSchema, args, 'parallel()')[0];
}
