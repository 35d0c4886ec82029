import { byKey, countBy, distinct, sum, top } from './answers.mjs';

/** A project folder: configurations of services, and a tree of source files. */
export const project = {
  files: [],
  make(random, scale) {
    const files = {};
    const configs = Array.from({ length: Math.ceil(40 * scale) }, (_, at) => ({
      name: `service-${String(at).padStart(2, '0')}`,
      port: 8000 + random.int(30),
      level: random.of(['info', 'debug', 'warn']),
      timeout: 100 * (1 + random.int(50)),
      tls: random.chance(0.6),
      hosts: 1 + random.int(4),
    }));
    for (const { name, port, level, timeout, tls, hosts } of configs) {
      const parts = [
        `; ${name}`,
        '[server]',
        `port = ${port}`,
        `tls=${tls ? 'on' : 'off'}`,
        `# port = 1`,
        '',
        '[log]',
        `level = ${level}`,
      ];
      const list = Array.from({ length: hosts }, (_, host) => `host${host} = db${host}.internal`);
      files[`project/config/${name}.ini`] =
        `${[...parts, '[database]', `timeout_ms = ${timeout} ; not more`, ...list].join('\n')}\n`;
    }
    const sources = Array.from({ length: Math.ceil(150 * scale) }, (_, at) => {
      const folder = random.of(['core', 'core/io', 'ui', 'ui/forms', 'util']);
      const functions = Array.from({ length: random.int(8) }, (_, one) => ({
        name: `task${at}_${one}`,
        exported: random.chance(0.5),
        isAsync: random.chance(0.3),
        notes: random.chance(0.2) ? 1 : 0,
        lines: random.int(12),
      }));
      return {
        path: `src/${folder}/module${at}.ts`,
        imports: Array.from({ length: random.int(4) }, () => random.int(Math.ceil(150 * scale))),
        functions,
      };
    });
    for (const { path, imports, functions } of sources) {
      const body = functions.flatMap(({ name, exported, isAsync, notes, lines }) => [
        ...(notes ? [`  // NOTE(${name}): look at this again`] : []),
        `${exported ? 'export ' : ''}${isAsync ? 'async ' : ''}function ${name}(input) {`,
        ...Array.from({ length: lines }, (_, line) => `  input = input + ${line}; // function noise${line}(x) {`),
        '  return input;',
        '}',
        '',
      ]);
      files[`project/${path}`] =
        `${[...imports.map((other) => `import * as module${other} from './module${other}.js';`), '', ...body].join('\n')}\n`;
    }
    return { files, model: { configs, sources } };
  },
  questions: {
    'config-ports': [
      'Which ports are used by more than one of the services in config/*.ini ([server] port; lines that begin with # or ; are comments)?',
      'a sorted array of numbers',
      ({ configs }) =>
        [...countBy(configs, ({ port }) => port)]
          .filter(([, count]) => count > 1)
          .map(([port]) => port)
          .sort((a, b) => a - b),
    ],
    'config-tls': [
      'Which services (the names of the files in config/ without .ini) have tls off?',
      'a sorted array of names',
      ({ configs }) => configs.filter(({ tls }) => !tls).map(({ name }) => name),
    ],
    'config-levels': [
      'How many of the files in config/ have each level in [log]?',
      'an object from level to count',
      ({ configs }) => byKey(countBy(configs, ({ level }) => level)),
    ],
    'config-timeout': [
      'Which service in config/ has the highest timeout_ms in [database], and how much is it? What follows a ; is a comment.',
      'an array [name without .ini, number]; of equals the name that sorts first',
      ({ configs }) => top(new Map(configs.map(({ name, timeout }) => [name, timeout])), 1)[0],
    ],
    'config-hosts': [
      'How many entries host0, host1, … are in all files of config/ together?',
      'a number',
      ({ configs }) => sum(configs.map(({ hosts }) => hosts)),
    ],
    'source-files': [
      'How many .ts files are in each folder that lies directly in src (those in folders below it included)?',
      'an object from the name of the folder to a number',
      ({ sources }) => byKey(countBy(sources, ({ path }) => path.split('/')[1])),
    ],
    'source-functions': [
      'How many functions are declared in the .ts files below src (a line that begins with "function", or with "export" or "async" before it; not within comments)?',
      'a number',
      ({ sources }) => sum(sources.map(({ functions }) => functions.length)),
    ],
    'source-async': [
      'How many functions declared in the .ts files below src are both exported and async?',
      'a number',
      ({ sources }) =>
        sum(sources.map(({ functions }) => functions.filter(({ exported, isAsync }) => exported && isAsync).length)),
    ],
    'source-notes': [
      'Which files below src have the most comments of the form "// NOTE(…)"?',
      'an array of [path from the project folder, count] of the first three; of equals the path that sorts first',
      ({ sources }) =>
        top(new Map(sources.map(({ path, functions }) => [path, sum(functions.map(({ notes }) => notes))])), 3),
    ],
    'source-imports': [
      'How many different modules are imported by the .ts files below src (by the name after "import * as")?',
      'a number',
      ({ sources }) => distinct(sources.flatMap(({ imports }) => imports)),
    ],
    'source-longest': [
      'Which .ts file below src has the most lines (newline characters)?',
      'an array [path from the project folder, lines]; of equals the path that sorts first',
      ({ sources }) =>
        top(
          new Map(
            sources.map(({ path, imports, functions }) => [
              path,
              imports.length + 1 + sum(functions.map(({ notes, lines }) => notes + lines + 4)),
            ]),
          ),
          1,
        )[0],
    ],
  },
};
