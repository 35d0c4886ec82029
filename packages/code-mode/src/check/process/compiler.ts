import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** What TypeScript reports about a place in the script. */
export interface Diagnostic {
  code: number;
  /** In UTF-16 code units from the start of the script. */
  at: number;
  message: string;
}

/** Checks a script, with the declarations of what it may call. */
export type Compile = (declarations: string, script: string) => Diagnostic[];

/**
 * A folder that does not exist on the disk. In one that exists, the compiler would find files, such as its own library.
 */
const folder = `/${randomUUID()}`;
const config = `${folder}/tsconfig.json`;
const declared = `${folder}/declared.d.ts`;
const checked = `${folder}/script.js`;

/**
 * `strict` is off, because a value that may be undefined is in most cases never undefined when the script runs. Only
 * the library of the language is looked for on the disk.
 */
const options = {
  ...{ allowJs: true, checkJs: true, noEmit: true, strict: false, skipLibCheck: true },
  ...{ target: 'esnext', module: 'esnext', moduleDetection: 'force', lib: ['esnext'], types: [] },
};

/** The compiler's number for an error. */
const errorCategory = 1;

interface NativeDiagnostic {
  code: number;
  pos: number;
  category: number;
  text: string;
  messageChain?: readonly NativeDiagnostic[];
}

interface NativeApi {
  updateSnapshot(params: object): {
    getProjects(): readonly {
      program: {
        getSyntacticDiagnostics(file: string): readonly NativeDiagnostic[];
        getSemanticDiagnostics(file: string): readonly NativeDiagnostic[];
      };
    }[];
    dispose(): void;
  };
}

interface MessageChain {
  messageText: string;
  next?: MessageChain[];
}

interface Written {
  sys: { getCurrentDirectory(): string; readFile(path: string): string | undefined; fileExists(path: string): boolean };
  ScriptSnapshot: { fromString(text: string): object };
  convertCompilerOptionsFromJson(json: object, folder: string): { options: object };
  getDefaultLibFilePath(options: object): string;
  createLanguageService(host: object): {
    getSyntacticDiagnostics(file: string): readonly WrittenDiagnostic[];
    getSemanticDiagnostics(file: string): readonly WrittenDiagnostic[];
  };
}

interface WrittenDiagnostic {
  code: number;
  start?: number;
  category: number;
  messageText: string | MessageChain;
}

/**
 * Loads the compiler that the host has installed. @throws when there is none, or when it lacks something that is used
 * here
 */
export async function loadCompiler(host: string): Promise<Compile> {
  const require = createRequire(host);
  const { version } = require('typescript/package.json') as { version: string };
  if (Number.parseInt(version, 10) < 7) return written(require('typescript') as Written);
  const module = pathToFileURL(require.resolve('typescript/unstable/sync')).href;
  const { API } = (await import(module)) as { API: new (options: object) => NativeApi };
  return native(API);
}

/** TypeScript from 7 on, which is a separate program. */
function native(API: new (options: object) => NativeApi): Compile {
  const files = new Map([
    [config, JSON.stringify({ compilerOptions: options, files: ['declared.d.ts', 'script.js'] })],
  ]);
  const isOurs = (path: string): boolean => path === folder || path.startsWith(`${folder}/`);
  const names = [config, declared, checked].map((path) => path.slice(folder.length + 1));
  const fs = {
    readFile: (path: string) => files.get(path) ?? (isOurs(path) ? null : undefined),
    fileExists: (path: string) => (isOurs(path) ? files.has(path) : undefined),
    directoryExists: (path: string) => (isOurs(path) ? path === folder : undefined),
    getAccessibleEntries: (path: string) => (isOurs(path) ? { files: names, directories: [] } : undefined),
    realpath: (path: string) => path,
  };
  const api = new API({ cwd: folder, fs });
  return (declarations, script) => {
    files.set(declared, declarations).set(checked, script);
    const fileChanges = { changed: [declared, checked] };
    const snapshot = api.updateSnapshot({ openProjects: [config], fileChanges });
    try {
      const all = snapshot
        .getProjects()
        .flatMap(({ program }) => [
          ...program.getSyntacticDiagnostics(checked),
          ...program.getSemanticDiagnostics(checked),
        ]);
      return all
        .filter(({ category }) => category === errorCategory)
        .map((each) => ({ code: each.code, at: each.pos, message: flatNative(each) }));
    } finally {
      snapshot.dispose();
    }
  };
}

/** TypeScript up to 6, which is written in JavaScript. */
function written(ts: Written): Compile {
  const { options: parsed } = ts.convertCompilerOptionsFromJson(options, folder);
  const files = new Map<string, { version: number; text: string }>();
  const write = (path: string, text: string): void => {
    const before = files.get(path);
    if (before?.text !== text) files.set(path, { version: (before?.version ?? 0) + 1, text });
  };
  const read = (path: string): string | undefined => files.get(path)?.text ?? ts.sys.readFile(path);
  const service = ts.createLanguageService({
    getCompilationSettings: () => parsed,
    getScriptFileNames: () => [declared, checked],
    getScriptVersion: (path: string) => String(files.get(path)?.version ?? 0),
    getScriptSnapshot: (path: string) => {
      const text = read(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: (given: object) => ts.getDefaultLibFilePath(given),
    readFile: read,
    fileExists: (path: string) => files.has(path) || ts.sys.fileExists(path),
  });
  return (declarations, script) => {
    write(declared, declarations);
    write(checked, script);
    return [...service.getSyntacticDiagnostics(checked), ...service.getSemanticDiagnostics(checked)]
      .filter(({ category }) => category === errorCategory)
      .map(({ code, start = 0, messageText }) => ({ code, at: start, message: flatWritten(messageText) }));
  };
}

function flatNative({ text, messageChain = [] }: NativeDiagnostic): string {
  return [text, ...messageChain.map(flatNative)].join(' ');
}

function flatWritten(message: string | MessageChain): string {
  if (typeof message === 'string') return message;
  return [message.messageText, ...(message.next ?? []).map(flatWritten)].join(' ');
}
