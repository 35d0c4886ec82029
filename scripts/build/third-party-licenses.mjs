// The notices of what esbuild inlined: the MIT License asks that they travel with every copy, and a bundle is one.
// Written from the bundle's own metafile, so the list cannot fall behind what is really in it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folders of the packages that went into the bundle; metafile paths are relative to esbuild's working directory. */
function bundledPackages(metafile, workingDir) {
  const folders = Object.keys(metafile.inputs).map((input) => {
    const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input);
    return found === null ? undefined : resolve(workingDir, found[0]);
  });
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/** Name, version, licence and licence text of each package in the bundle; throws when one ships no licence text. */
export function thirdPartyLicenses(metafile, workingDir) {
  const sections = bundledPackages(metafile, workingDir).map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e(-mit)?(\.|$)/i.test(entry));
    if (file === undefined) throw new Error(`${name} is in the bundle and ships no licence text`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return ['The JavaScript beside this file has these works built into it.\n', ...sections].join(
    `\n${'-'.repeat(80)}\n\n`,
  );
}
