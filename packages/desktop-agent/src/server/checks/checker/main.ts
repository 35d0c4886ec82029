// The process that checks an app with the compiler that came with it. This compiler may be hostile, so the process runs
// with as few rights as possible, and nothing that it says is trusted. It reads a request from stdin and writes one line.
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Overlay } from '../../context/overlay.ts';
import type { Check, Finding } from './finding.ts';
import { javascriptCompiler } from './javascript-compiler.ts';
import { nativeCompiler } from './native-compiler.ts';
import { ProposedFiles } from './proposed-files.ts';

interface CheckRequest {
  /** Absolute, free of links. */
  app: string;
  /** Relative to the app. */
  config: string;
  overlay: Overlay;
  maxProblems: number;
}

/** The most characters of a message. One that spells out a type of a thousand fields helps nobody. */
const maxMessage = 2000;

async function compilerOf(app: string, files: ProposedFiles): Promise<Check> {
  const { version } = JSON.parse(readFileSync(`${app}/node_modules/typescript/package.json`, 'utf8')) as {
    version: string;
  };
  return Number.parseInt(version, 10) < 7 ? javascriptCompiler(app, files) : await nativeCompiler(app, files);
}

async function check({ app, config, overlay, maxProblems }: CheckRequest): Promise<unknown> {
  const files = new ProposedFiles(app, overlay);
  const compiler = await compilerOf(app, files);
  const findings = unique(await compiler(`${app}/${config}`));
  const problems = findings.slice(0, maxProblems).map((finding) => problemOf(finding, app, files));
  return { problems, more: findings.length - problems.length };
}

/** A file that belongs to two projects is checked twice, so its findings come twice. */
function unique(findings: Finding[]): Finding[] {
  const byPlace = new Map(findings.map((one) => [`${one.file}\0${one.at}\0${one.code}\0${one.message}`, one]));
  return [...byPlace.values()].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.at - b.at));
}

function problemOf({ file, at, code, message }: Finding, app: string, files: ProposedFiles): unknown {
  const before = (files.readFile(file) ?? '').slice(0, at).split(/\r\n|[\n\r\u2028\u2029]/);
  return {
    path: file.startsWith(`${app}/`) ? file.slice(app.length + 1) : file,
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    code: `TS${code}`,
    // Some messages name files by their absolute paths.
    message: message.replaceAll(`${app}/`, '').slice(0, maxMessage),
  };
}

const request = JSON.parse(await text(process.stdin)) as CheckRequest;
let answer: unknown;
try {
  answer = await check(request);
} catch (error) {
  answer = { failed: (error as Error).message.slice(0, maxMessage) };
}
// The answer is on a line of its own, because a compiler may have written to stdout too. The process is ended, because the
// compiler may have left something running.
process.stdout.write(`\n${JSON.stringify(answer)}\n`, () => process.exit(0));
