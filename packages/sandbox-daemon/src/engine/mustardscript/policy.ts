import type { Setup } from '../interface.ts';

/** What a script may use, in the terms of the engine. */
export interface Policy {
  capabilities: string[];
  limits: Record<string, number>;
}

export function policyOf(code: string, { limits, ...names }: Setup): Policy {
  return {
    capabilities: withinReach(names, code),
    limits: {
      instruction_budget: limits.instructions,
      heap_limit_bytes: limits.heapBytes,
      allocation_budget: limits.allocations,
      call_depth_limit: limits.callDepth,
      max_outstanding_host_calls: limits.outstandingHostCalls,
    },
  };
}

/**
 * The capabilities that `code` can reach. The engine makes a global of each at every start, and a small script names
 * one or two of the sixteen that exist by default.
 */
export function withinReach(
  { builtins, hostFunctions }: Pick<Setup, 'builtins' | 'hostFunctions'>,
  code: string,
): string[] {
  // By these a script could reach a capability by a computed name, or by a name with an escape.
  const isAll = code.includes('globalThis') || code.includes('\\u');
  return [...builtins, ...hostFunctions].filter((name) => {
    const [global = name] = name.split('.', 1);
    return isAll || code.includes(global);
  });
}
