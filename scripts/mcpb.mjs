// Makes a bundle that Claude Desktop and other hosts install with a click: `npm run mcpb -- DIR [--platform linux-x64]`. It
// holds the command and all that it needs, with the native parts of one platform. The official packer checks and packs it.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';

const root = fileURLToPath(new URL('..', import.meta.url));
const command = 'mustard-sandbox';
const entry = `node_modules/${command}/dist/main.js`;

/** What npm calls a platform, and what the format of the bundles calls its system. */
const platforms = {
  'darwin-arm64': 'darwin',
  'darwin-x64': 'darwin',
  'linux-arm64': 'linux',
  'linux-x64': 'linux',
  'win32-x64': 'win32',
};

/** @param {{ version: string, description: string, license: string, engines: { node: string } }} of @param {string} platform */
function manifestOf({ version, description, license, engines }, platform) {
  return {
    manifest_version: '0.3',
    name: command,
    display_name: 'Scripts over big files',
    version,
    description,
    long_description:
      'Claude writes a short script that searches, counts and slices files that are too big for a conversation, and gets back only the answer. Scripts run in a sandbox: they read the folder that you choose, write nothing, and have no network.',
    author: { name: 'The authors of mustard-sandbox' },
    license,
    server: {
      type: 'node',
      entry_point: entry,
      mcp_config: {
        command: 'node',
        // The host asks before it calls the tool.
        args: [`\${__dirname}/${entry}`, 'mcp', '--root', '${user_config.folder}', '--consent', 'always'],
        env: {},
      },
    },
    tools: [{ name: 'execute_sandbox_script', description: 'Runs a small script over files, and gives its answer.' }],
    prompts_generated: true,
    user_config: {
      folder: {
        type: 'directory',
        title: 'Folder',
        description: 'The folder that scripts may read. Files such as .env and keys stay closed.',
        required: true,
      },
    },
    compatibility: { platforms: [platforms[platform]], runtimes: { node: engines.node } },
  };
}

/** The tarballs of the command and of all packages of ours that it needs. @param {string} folder */
async function tarballsIn(folder) {
  const manifests = new Map();
  for (const name of await readdir(join(root, 'packages'))) {
    const manifest = JSON.parse(await readFile(join(root, 'packages', name, 'package.json'), 'utf8'));
    manifests.set(manifest.name, manifest);
  }
  const needed = new Set([command]);
  for (const name of needed) {
    for (const other of Object.keys(manifests.get(name).dependencies ?? {}))
      if (manifests.has(other)) needed.add(other);
  }
  return [...needed].map((name) => {
    const file = `${name.replace('@', '').replace('/', '-')}-${manifests.get(name).version}.tgz`;
    return join(folder, file);
  });
}

/** @param {string} target @param {string} platform */
async function makeBundle(target, platform) {
  const work = await mkdtemp(join(tmpdir(), 'mustard-mcpb-'));
  try {
    const packs = join(work, 'packs');
    const staged = join(work, 'bundle');
    await mkdir(staged, { recursive: true });
    await mkdir(target, { recursive: true });
    await execa(process.execPath, ['scripts/pack.mjs', packs], { cwd: root });
    await writeFile(join(staged, 'package.json'), '{ "private": true, "type": "module" }\n');
    const [os, cpu] = platform.split('-');
    const flags = [`--os=${os}`, `--cpu=${cpu}`, '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
    if (os === 'linux') flags.push('--libc=glibc');
    await execa('npm', ['install', ...flags, ...(await tarballsIn(packs))], { cwd: staged });
    const manifest = JSON.parse(await readFile(join(staged, 'node_modules', command, 'package.json'), 'utf8'));
    const file = join(target, `${command}-${manifest.version}-${platform}.mcpb`);
    await writeFile(join(staged, 'manifest.json'), `${JSON.stringify(manifestOf(manifest, platform), null, 2)}\n`);
    const options = { cwd: root, preferLocal: true };
    await execa('mcpb', ['validate', join(staged, 'manifest.json')], options);
    await execa('mcpb', ['pack', staged, file], options);
    return { file, bytes: (await stat(file)).size };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const usage = `Name the folder for the bundle, and a platform other than this one if you want: npm run mcpb -- DIR [--platform NAME]
Platforms: ${Object.keys(platforms).join(', ')}.`;
const { values, positionals } = parseArgs({ options: { platform: { type: 'string' } }, allowPositionals: true });
const platform = values.platform ?? `${process.platform}-${process.arch}`;
if (positionals.length !== 1 || !Object.hasOwn(platforms, platform)) {
  console.error(usage);
  process.exitCode = 2;
} else {
  const { file, bytes } = await makeBundle(resolve(positionals[0] ?? ''), platform);
  console.log(`${file} (${(bytes / 1e6).toFixed(1)} MB)`);
}
