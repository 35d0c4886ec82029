// A process of its own, because TypeScript takes memory, and a type can keep it busy for ever. It reads a request from
// each line of its input, and answers each with a line.
import { createInterface } from 'node:readline';
import { callsIn } from './calls.ts';
import { loadCompiler, type Compile } from './compiler.ts';
import { findingsOf } from './findings.ts';
import type { CheckAnswer, CheckRequest } from './messages.ts';

const [, , host = ''] = process.argv;
const loading = loadCompiler(host);
// Each request reports this failure again.
loading.catch(() => {});

function answer(compile: Compile, { declarations, script, namespaces }: CheckRequest): CheckAnswer {
  const calls = callsIn(script, new Set(namespaces));
  // The engine refuses a script that is not JavaScript, with a better message.
  if (calls === undefined) return { findings: [], literals: [] };
  return findingsOf(compile(declarations, calls.plain), calls);
}

async function answerTo(line: string): Promise<CheckAnswer> {
  try {
    return answer(await loading, JSON.parse(line) as CheckRequest);
  } catch (error) {
    return { failed: (error as Error).message.slice(0, 500) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answerTo(line))}\n`);
}
process.exit(0);
