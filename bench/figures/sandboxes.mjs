import { createSandbox } from '@mustard-sandbox/client';

/** One sidecar and no spare: nothing else runs while it is measured. */
export function oneSidecar(options = {}) {
  return createSandbox({ spares: 0, maxProcesses: 1, ...options });
}

/** Uses something, and closes it in any case. */
export async function using(resources, use) {
  try {
    return await use(resources);
  } finally {
    await Promise.all(Object.values(resources).map((resource) => resource.close()));
  }
}
