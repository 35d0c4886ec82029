import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FolderFiles } from '@mustard-sandbox/paths';
import { AgentError, type TemplateName } from '../../../shared/contract/index.ts';

const templates = fileURLToPath(new URL('../../../../templates/', import.meta.url));
/** npm does not pack a `.gitignore`, so the template has it under another name. */
const packedNames: Readonly<Record<string, string>> = { gitignore: '.gitignore' };
const maxBytes = 1024 * 1024;
const tool = 'template';

export function templateFolder(name: TemplateName): string {
  return join(templates, name);
}

/**
 * Copies the regular files of a template. Links are left out, because our templates have none.
 *
 * @param name the name of the app, for its `package.json` and `README.md`
 * @throws {AgentError} `internal` for a template that is not there
 */
export function copyTemplate(template: string, folder: string, name: string): void {
  const files = new FolderFiles(template, { refuseLinks: true });
  const copy = (from: string): void => {
    for (const entry of files.list(from === '' ? '.' : from, tool)) {
      const path = from + entry.name;
      if (entry.stats === undefined) {
        copy(`${path}/`);
        continue;
      }
      const target = join(folder, from, packedNames[entry.name] ?? entry.name);
      mkdirSync(dirname(target), { recursive: true });
      const { bytes, size } = files.read(path, maxBytes, tool);
      if (size > maxBytes) throw new Error(`${path} of a template is over ${maxBytes} bytes.`);
      writeFileSync(target, named(path, bytes, name), { flag: 'wx' });
    }
  };
  try {
    copy('');
  } catch (error) {
    throw new AgentError('internal', `The template ${template} cannot be copied. Install mustard-agent again.`, {
      cause: error,
    });
  }
}

/** Puts in the name of the app. In a template it is `app`, so that the template itself can be run. */
function named(path: string, bytes: Buffer, name: string): Buffer | string {
  if (path === 'README.md') return bytes.toString('utf8').replace(/^# App\n/, () => `# ${name}\n`);
  if (path !== 'package.json' && path !== 'package-lock.json') return bytes;
  const packageName = packageNameOf(name);
  const manifest = JSON.parse(bytes.toString('utf8')) as { name: string; packages?: { ''?: { name: string } } };
  manifest.name = packageName;
  if (manifest.packages?.[''] !== undefined) manifest.packages[''].name = packageName;
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** A name that npm accepts for a package: ASCII letters and digits with separators between them. */
function packageNameOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return plain === '' || plain === 'node-modules' ? 'app' : plain;
}
