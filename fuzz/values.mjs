import { deepStrictEqual } from 'node:assert';
import { SandboxError as ClientError } from '@mustard-sandbox/client';
import { decodeValue, encodeValue, SandboxError } from '@mustard-sandbox/protocol';
import fc from 'fast-check';
import { openSandbox } from '../stress/sandboxes.mjs';
import { almostTagged, sandboxValue } from './arbitraries.mjs';
import { must } from './campaign.mjs';

/**
 * A value is the same after it crossed when `deepStrictEqual` says so: kinds, `NaN`, own keys and prototypes, not the order
 * of keys. What a host sends arrives in the script as it is, but for half a surrogate pair, which becomes U+FFFD, in keys
 * as well.
 */
function asItArrives(value) {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const result = new Array(value.length);
    value.forEach((item, index) => (result[index] = asItArrives(item)));
    return result;
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), asItArrives(item)]));
}

/** What leaves a script goes by the rules of JSON, but for `NaN` and infinities; nothing at all stays nothing. */
function asItLeaves(value) {
  if (Object.is(value, -0)) return 0;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Array.from(value, (item) => asItLeaves(item) ?? null);
  const fields = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(fields.map(([key, item]) => [key, asItLeaves(item)]));
}

/** Half pairs as well, which graphemes never are. */
const anyValue = fc.oneof(
  { weight: 5, arbitrary: sandboxValue },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.dictionary(fc.string({ unit: 'binary', maxLength: 4 }), sandboxValue, { maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);

const typedCodes = new Set(['invalid_request', 'limit_exceeded', 'script_error']);

export async function open() {
  const sandbox = openSandbox({ maxProcesses: 1, spares: 0 });
  await sandbox.warm();

  const laws = {
    'from host to script and back': fc.asyncProperty(anyValue, async (sent) => {
      const seen = [];
      const host = (...args) => {
        seen.push(args);
        return sent;
      };
      const script = 'const answer = host(sent, [sent]); ({ sent, answer })';
      const { value } = await sandbox.run({ script, inputs: { sent }, hostFunctions: { host } });
      const same = asItLeaves(asItArrives(sent));
      deepStrictEqual(seen, [[same, asItLeaves([same])]]);
      deepStrictEqual(value, asItLeaves({ sent: same, answer: same }));
    }),
    'from a literal': fc.asyncProperty(sandboxValue, async (value) => {
      const result = await sandbox.run({ script: `const value = ${literal(value)}; value` });
      deepStrictEqual(result.value, asItLeaves(value));
    }),
    'deep and long ones arrive or are refused': fc.asyncProperty(
      fc.nat({ max: 150 }),
      fc.nat({ max: 3_000 }),
      fc.boolean(),
      async (levels, length, inObjects) => {
        /** @type {unknown} */
        let sent = Array.from({ length }, (_, index) => (index % 7 === 0 ? 'text' : index));
        for (let level = 0; level < levels; level++) sent = inObjects ? { a: sent } : [sent];
        try {
          const { value } = await sandbox.run({
            script: 'host(sent)',
            inputs: { sent },
            hostFunctions: { host: (x) => x },
          });
          deepStrictEqual(value, sent);
        } catch (/** @type {any} */ error) {
          if (error.name === 'AssertionError') throw error;
          must(
            error instanceof ClientError && typedCodes.has(error.code),
            `failed with ${error.code}: ${error.message}`,
          );
          must(levels > 100, `${levels} levels are refused: ${error.message}`);
        }
      },
    ),
    'what a peer sends as tagged': fc.property(almostTagged, (tagged) => {
      let value;
      try {
        value = decodeValue({ tagged });
      } catch (error) {
        must(error instanceof SandboxError && error.code === 'protocol_error', `threw ${String(error)}`);
        return;
      }
      deepStrictEqual(decodeValue(JSON.parse(JSON.stringify(encodeValue(value, 'value')))), value);
      must(Object.keys(Object.prototype).length === 0, 'Object.prototype has a new key');
    }),
  };
  return { laws, batchRuns: 100, remains: async () => [], close: () => sandbox.close() };
}

/** Source that gives the value. The script language has no elisions at the end and no `__proto__: ` in literals. */
function literal(value) {
  if (value === undefined) return 'undefined';
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${Array.from(value, (item, index) => (index in value ? literal(item) : '') + ',').join('')}]`;
  }
  const entries = Object.entries(value).map(([key, item]) => `[${JSON.stringify(key)}]: ${literal(item)}`);
  return `({ ${entries.join(', ')} })`;
}
