import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installCopy } from '../install-copy.ts';
import { makeFolder } from './support.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The built packages, installed where there is no engine: the path of the command. */
export function installWithoutEngine(): string {
  const modules = join(makeFolder(), 'node_modules');
  const own = {
    cli: 'mustard-sandbox',
    'mcp-server': '',
    'bash-tools': '',
    remote: '',
    'agent-tool': '',
    'sandbox-client': 'client',
    'sandbox-daemon': 'daemon',
  };
  mkdirSync(join(modules, '@mustard-sandbox'), { recursive: true });
  for (const [folder, name] of Object.entries(own)) {
    const target = folder === 'cli' ? join(modules, name) : join(modules, '@mustard-sandbox', name || folder);
    installCopy(folder, target);
  }
  linkAll(join(repository, 'packages/cli/node_modules'), modules);
  linkAll(join(repository, 'node_modules'), modules);
  return join(modules, 'mustard-sandbox/dist/main.js');
}

function linkAll(from: string, modules: string): void {
  for (const name of readdirSync(from)) {
    if (/^\.|mustard/.test(name) || existsSync(join(modules, name))) continue;
    symlinkSync(join(from, name), join(modules, name), 'junction');
  }
}
