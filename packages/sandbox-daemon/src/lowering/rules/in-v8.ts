import type { Helper } from '../helper.ts';

/** The name of the capability by which a program has V8 do something; see `operations.ts`. */
export const v8Capability = '__ms_v8';

/**
 * Where there is `await`, the engine answers calls of capabilities by promises, which helpers cannot wait for: there
 * they do without V8, or refuse.
 */
export const v8Helpers: Helper[] = [
  {
    name: 'hasV8',
    code: ({ isAsync }) => `const __ms_hasV8 = ${!isAsync};`,
  },
  {
    name: 'inV8',
    code: ({ isAsync }) =>
      isAsync
        ? `function __ms_inV8(name) { __ms_refuse('this needs a script without async functions and promises (' + name + '): call the functions of the sandbox without await'); }`
        : 'function __ms_inV8(...args) { return __ms_v8(...args); }',
  },
];
