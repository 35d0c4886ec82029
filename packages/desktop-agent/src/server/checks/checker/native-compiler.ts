// Asks TypeScript 7, which is a native program. Its API is not stable yet; where a part is missing it is reported as
// unsupported.
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorCategory, type Check, type Finding } from './finding.ts';
import type { ProposedFiles } from './proposed-files.ts';

interface Diagnostic {
  fileName?: string;
  pos: number;
  code: number;
  category: number;
  text: string;
  messageChain?: readonly Diagnostic[];
}

interface Program {
  getSyntacticDiagnostics(): readonly Diagnostic[];
  getSemanticDiagnostics(): readonly Diagnostic[];
  getProgramDiagnostics(): readonly Diagnostic[];
  getGlobalDiagnostics(): readonly Diagnostic[];
  getConfigFileParsingDiagnostics(): readonly Diagnostic[];
}

interface Api {
  updateSnapshot(params: { openProjects: string[] }): {
    getProjects(): readonly { configFileName: string; program: Program }[];
  };
  close(): void;
}

const maxProjects = 50;

export async function nativeCompiler(app: string, files: ProposedFiles): Promise<Check> {
  const module = createRequire(`${app}/package.json`).resolve('typescript/unstable/sync');
  const { API } = (await import(pathToFileURL(module).href)) as { API: new (options: object) => Api };
  return (config) => {
    const api = new API({ cwd: app, fs: callbacks(files) });
    try {
      const snapshot = api.updateSnapshot({ openProjects: projectsOf(config, files) });
      return snapshot.getProjects().flatMap(({ configFileName, program }) => findingsOf(program, configFileName, app));
    } finally {
      api.close();
    }
  };
}

function callbacks(files: ProposedFiles): object {
  return {
    // `null` says that the file does not exist; `undefined` would make the compiler ask the disk.
    readFile: (path: string) => files.readFile(path) ?? null,
    fileExists: (path: string) => files.fileExists(path),
    directoryExists: (path: string) => files.directoryExists(path),
    getAccessibleEntries: (path: string) => files.entries(path),
    realpath: (path: string) => files.realpath(path),
  };
}

/** The project and the projects that it refers to. The API does not list references, so this reads the configuration. */
function projectsOf(config: string, files: ProposedFiles): string[] {
  const found = new Set<string>();
  const open = [config];
  for (let next; (next = open.pop()) !== undefined && found.size < maxProjects;) {
    if (found.has(next) || !files.fileExists(next)) continue;
    found.add(next);
    for (const path of referencesIn(files.readFile(next) ?? '')) {
      const place = resolve(dirname(next), path);
      open.push(files.directoryExists(place) ? `${place}/tsconfig.json` : place);
    }
  }
  return [...found];
}

/** Parses a configuration, which is JSON with comments and trailing commas. */
function referencesIn(text: string): string[] {
  const plain = text
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (_, kept?: string) => kept ?? ' ')
    .replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])/g, (_, kept?: string) => kept ?? '');
  try {
    const { references = [] } = JSON.parse(plain) as { references?: { path?: unknown }[] };
    return references.flatMap(({ path }) => (typeof path === 'string' ? [path] : []));
  } catch {
    // The compiler itself reports what is wrong with the configuration.
    return [];
  }
}

function findingsOf(program: Program, config: string, app: string): Finding[] {
  return [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getProgramDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...program.getSyntacticDiagnostics(),
    ...program.getSemanticDiagnostics(),
  ]
    .filter(({ category, fileName = config }) => {
      const isOwn = fileName.startsWith(`${app}/`) && !fileName.includes('/node_modules/');
      return category === errorCategory && isOwn;
    })
    .map((one) => ({ file: one.fileName ?? config, at: Math.max(0, one.pos), code: one.code, message: flat(one) }));
}

function flat({ text, messageChain = [] }: Diagnostic, indent = ''): string {
  return [indent + text, ...messageChain.map((next) => flat(next, `${indent}  `))].join('\n');
}
