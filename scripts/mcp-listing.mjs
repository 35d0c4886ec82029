// Writes what a release tells MCP hosts of the server: `npm run mcp:listing -- DIR --name io.github.OWNER/NAME`.
//   server.json  for the registry of the Model Context Protocol, with the bundles of `npm run mcpb -- DIR` that are in DIR
//   install.md   a link to click or a line to type for each host
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const manifest = JSON.parse(await readFile(new URL('../packages/cli/package.json', import.meta.url), 'utf8'));
/** Hosts ask before they call a tool. */
const options = ['mcp', '--consent', 'always'];
const npx = { command: 'npx', args: ['-y', `${manifest.name}@${manifest.version}`, ...options] };
const typed = [npx.command, ...npx.args].join(' ');
/** A host that does not tell the server which folder is open needs it in the arguments. */
const withFolder = { ...npx, args: [...npx.args, '--root', '/path/to/project'] };

/** @type {{ host: string, link?: string, line?: string, json?: object }[]} */
const hosts = [
  {
    host: 'Cursor',
    link: `cursor://anysphere.cursor-deeplink/mcp/install?name=${manifest.name}&config=${encodeURIComponent(base64(npx))}`,
  },
  {
    host: 'VS Code',
    link: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: manifest.name, type: 'stdio', ...npx }))}`,
  },
  { host: 'Claude Code', line: `claude mcp add ${manifest.name} -- ${typed}` },
  { host: 'Codex', line: `codex mcp add ${manifest.name} -- ${typed} --root /path/to/project` },
  { host: 'Gemini CLI', line: `gemini mcp add ${manifest.name} ${typed} --root /path/to/project` },
  { host: 'Windsurf, Zed and others', json: { mcpServers: { [manifest.name]: withFolder } } },
];

/** @param {object} config */
function base64(config) {
  return Buffer.from(JSON.stringify(config)).toString('base64');
}

/** @param {string} name @param {string} folder @param {string | undefined} bundlesAt */
async function serverJson(name, folder, bundlesAt) {
  const transport = { type: 'stdio' };
  const root = { type: 'named', name: '--root', description: 'The folder that scripts may read.', format: 'filepath' };
  const [command, ...flags] = options;
  const packageArguments = [
    { type: 'positional', value: command },
    { type: 'named', name: flags[0], value: flags[1] },
    root,
  ];
  const { version } = manifest;
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name,
    title: 'Scripts over big files',
    description: 'Runs small scripts over files too big for a conversation, in a sandbox, and gives the answer.',
    version,
    packages: [
      { registryType: 'npm', identifier: manifest.name, version, runtimeHint: 'npx', transport, packageArguments },
      ...(bundlesAt === undefined ? [] : await bundlesIn(folder, bundlesAt)),
    ],
  };
}

/** The registry wants each bundle's address and what its bytes hash to. @param {string} folder @param {string} bundlesAt */
async function bundlesIn(folder, bundlesAt) {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.mcpb')).toSorted();
  return await Promise.all(
    names.map(async (name) => ({
      registryType: 'mcpb',
      identifier: `${bundlesAt.replace(/\/$/, '')}/${name}`,
      fileSha256: createHash('sha256')
        .update(await readFile(join(folder, name)))
        .digest('hex'),
      transport: { type: 'stdio' },
    })),
  );
}

function installPage() {
  const parts = hosts.map(({ host, link, line, json }) => {
    if (link !== undefined) return `## ${host}\n\n[Install in ${host}](${link})\n`;
    return line === undefined
      ? `## ${host}\n\n\`\`\`json\n${JSON.stringify(json, null, 2)}\n\`\`\`\n`
      : `## ${host}\n\n\`\`\`sh\n${line}\n\`\`\`\n`;
  });
  return `# Install ${manifest.name} ${manifest.version}\n\n${parts.join('\n')}`;
}

const usage = `npm run mcp:listing -- DIR --name io.github.OWNER/NAME [--bundles-at URL]

  --name        what the registry calls the server; "mcpName" in packages/cli/package.json must say the same
  --bundles-at  where the release has the bundles (*.mcpb) of DIR`;

async function main() {
  const { values, positionals } = parseArgs({
    options: { name: { type: 'string' }, 'bundles-at': { type: 'string' }, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.help) return console.log(usage);
  const [folder] = positionals;
  const { name, 'bundles-at': bundlesAt } = values;
  if (folder === undefined || positionals.length > 1 || name === undefined) throw new Error(usage);
  if (!/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/.test(name))
    throw new Error(`"${name}" is no name of the registry. Write one such as io.github.OWNER/NAME.`);
  if (manifest.mcpName !== undefined && manifest.mcpName !== name)
    throw new Error(`packages/cli/package.json has the mcpName "${manifest.mcpName}", and --name says "${name}".`);
  await mkdir(folder, { recursive: true });
  const listing = join(folder, 'server.json');
  await writeFile(listing, `${JSON.stringify(await serverJson(name, folder, bundlesAt), null, 2)}\n`);
  const page = join(folder, 'install.md');
  await writeFile(page, installPage());
  console.log(`${listing}\n${page}`);
  if (manifest.mcpName === undefined)
    console.log(
      `Before the release, add "mcpName": "${name}" to packages/cli/package.json: the registry looks for it.`,
    );
}

try {
  await main();
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 2;
}
