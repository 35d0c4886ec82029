// Asks TypeScript up to version 6, which is written in JavaScript. The types have only the parts of its API that are used.
import { createRequire } from 'node:module';
import { errorCategory, type Check, type Finding } from './finding.ts';
import type { Entries, ProposedFiles } from './proposed-files.ts';

interface MessageChain {
  messageText: string;
  next?: MessageChain[];
}

interface Diagnostic {
  category: number;
  code: number;
  file?: { fileName: string };
  start?: number;
  messageText: string | MessageChain;
}

interface Parsed {
  options: Record<string, unknown>;
  fileNames: string[];
  projectReferences?: readonly { path: string }[];
  errors: Diagnostic[];
}

interface Program {
  getSourceFiles(): readonly { fileName: string; isDeclarationFile: boolean }[];
  getSyntacticDiagnostics(file: unknown): readonly Diagnostic[];
  getSemanticDiagnostics(file: unknown): readonly Diagnostic[];
  getOptionsDiagnostics(): readonly Diagnostic[];
  getGlobalDiagnostics(): readonly Diagnostic[];
}

type Host = Record<string, unknown>;

interface Compiler {
  sys: Host & { useCaseSensitiveFileNames: boolean };
  createCompilerHost(options: object): Host;
  createProgram(options: object): Program;
  getParsedCommandLineOfConfigFile(config: string, options: object, host: Host): Parsed | undefined;
  resolveProjectReferencePath(reference: { path: string }): string;
  createSourceFile(name: string, text: string, options: unknown): unknown;
  matchFiles(
    path: string,
    extensions: readonly string[] | undefined,
    excludes: readonly string[] | undefined,
    includes: readonly string[] | undefined,
    isCaseSensitive: boolean,
    cwd: string,
    depth: number | undefined,
    entries: (path: string) => Entries,
    realpath: (path: string) => string,
  ): string[];
}

/** Errors about outputs that are missing or not configured. Nothing is built here, so they do not matter. */
const aboutOutputs = new Set([6305, 6306, 6307, 6310]);
const maxProjects = 50;

export function javascriptCompiler(app: string, files: ProposedFiles): Check {
  const ts = createRequire(`${app}/package.json`)('typescript') as Compiler;
  const hosts = hostsOf(ts, app, files);
  return (config) => {
    const findings: Finding[] = [];
    const done = new Set<string>();
    const open = [config];
    for (let next; (next = open.pop()) !== undefined && done.size < maxProjects;) {
      if (done.has(next)) continue;
      done.add(next);
      const project = next;
      const parsed = ts.getParsedCommandLineOfConfigFile(project, { noEmit: true }, hosts.config);
      if (parsed === undefined) continue;
      findings.push(...diagnosticsOf(ts, parsed, hosts.program, app).map((one) => findingOf(one, project)));
      for (const reference of parsed.projectReferences ?? []) open.push(ts.resolveProjectReferencePath(reference));
    }
    return findings;
  };
}

/** The disk as the compiler sees it: with the proposed files, and read-only. */
function hostsOf(ts: Compiler, app: string, files: ProposedFiles): { config: Host; program: Host } {
  const { useCaseSensitiveFileNames } = ts.sys;
  const system: Host = {
    readFile: (path: string) => files.readFile(path),
    fileExists: (path: string) => files.fileExists(path),
    directoryExists: (path: string) => files.directoryExists(path),
    getDirectories: (path: string) => files.entries(path).directories,
    realpath: (path: string) => files.realpath(path),
    getCurrentDirectory: () => app,
    writeFile: () => {},
  };
  Object.assign(ts.sys, system);
  const config: Host = {
    ...system,
    useCaseSensitiveFileNames,
    readDirectory: (path: string, extensions?: string[], excludes?: string[], includes?: string[], depth?: number) =>
      ts.matchFiles(
        ...([path, extensions, excludes, includes, useCaseSensitiveFileNames, app, depth] as const),
        (folder) => files.entries(folder === '' ? app : folder),
        (name) => files.realpath(name),
      ),
    onUnRecoverableConfigFileDiagnostic: () => {},
  };
  const program: Host = {
    ...ts.createCompilerHost({}),
    ...system,
    getSourceFile: (name: string, options: unknown) => {
      const text = files.readFile(name);
      return text === undefined ? undefined : ts.createSourceFile(name, text, options);
    },
    // As in an editor, the sources of other projects are read and not their outputs.
    useSourceOfProjectReferenceRedirect: () => true,
  };
  return { config, program };
}

function diagnosticsOf(ts: Compiler, parsed: Parsed, host: Host, app: string): Diagnostic[] {
  const { composite: _, incremental: __, tsBuildInfoFile: ___, emitDeclarationOnly: ____, ...options } = parsed.options;
  const all = [...parsed.errors];
  if (parsed.fileNames.length > 0) {
    const program = ts.createProgram({
      rootNames: parsed.fileNames,
      options: { ...options, noEmit: true },
      projectReferences: parsed.projectReferences,
      host,
    });
    all.push(...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics());
    for (const file of program.getSourceFiles()) {
      if (!file.fileName.startsWith(`${app}/`) || file.fileName.includes('/node_modules/')) continue;
      all.push(...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file));
    }
  }
  // A configuration that only refers to others needs no inputs of its own.
  const onlyRefers = parsed.fileNames.length === 0 && (parsed.projectReferences?.length ?? 0) > 0;
  const isWanted = ({ category, code }: Diagnostic): boolean =>
    category === errorCategory && !aboutOutputs.has(code) && !(onlyRefers && (code === 18002 || code === 18003));
  return all.filter(isWanted);
}

function findingOf({ file, start, code, messageText }: Diagnostic, config: string): Finding {
  return {
    file: file?.fileName ?? config,
    at: file === undefined ? 0 : (start ?? 0),
    code,
    message: flat(messageText),
  };
}

function flat(message: string | MessageChain, indent = ''): string {
  if (typeof message === 'string') return indent + message;
  return [indent + message.messageText, ...(message.next ?? []).map((next) => flat(next, `${indent}  `))].join('\n');
}
