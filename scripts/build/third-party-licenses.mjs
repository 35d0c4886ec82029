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

/** The text of a package that names the MIT License and its author, and ships no copy of it. */
function declaredLicense({ name, license, author }) {
  const holder = typeof author === 'string' ? author : author?.name;
  if (license !== 'MIT' || holder === undefined) throw new Error(`${name} is in the bundle and ships no licence text`);
  return mit(holder);
}

const mit = (holder) => `The MIT License (MIT)

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Name, version, licence and licence text of each package in the bundle; throws when one ships no licence text. */
export function thirdPartyLicenses(metafile, workingDir) {
  const sections = bundledPackages(metafile, workingDir).map((folder) => {
    const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e(-mit)?(\.|$)/i.test(entry));
    const text = file === undefined ? declaredLicense(about) : readFileSync(join(folder, file), 'utf8');
    return `${about.name} ${about.version} (${about.license})\n\n${text.trim()}\n`;
  });
  return ['The JavaScript beside this file has these works built into it.\n', ...sections].join(
    `\n${'-'.repeat(80)}\n\n`,
  );
}
