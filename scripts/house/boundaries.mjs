import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { addon, rooms } from './rooms.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const target = `${root}.oxlintrc.rooms.json`;

/** The text of .oxlintrc.rooms.json, as the table of rooms has it. */
export async function boundaries() {
  const folders = readdirSync(`${root}packages`);
  const config = {
    rules: { 'no-restricted-imports': ['error', { patterns: [noAddon] }] },
    overrides: [
      ...rooms.map((room) => ({
        files: room.files,
        rules: { 'no-restricted-imports': ['error', ruleOf(room, folders)] },
      })),
      { files: addon.files, rules: { 'no-restricted-imports': 'off' } },
    ],
  };
  return format(JSON.stringify(config), { ...(await resolveConfig(target)), filepath: target });
}

const noAddon = { group: addon.patterns, message: addon.why };

/**
 * @param {import('./rooms.mjs').Room} room
 * @param {string[]} folders of all packages
 */
function ruleOf({ files, imports, types = [], not = [], why }, folders) {
  const others = folders.filter((folder) => folder !== files[0].split('/')[1]);
  const group = [
    ...['mustard-sandbox', '@mustard-sandbox/**'],
    // What a relative path leads to.
    ...others.flatMap((folder) => [`**/${folder}/src/**`, `**/${folder}/dist/**`]),
    ...not,
    ...[...imports, ...types].map((name) => `!@mustard-sandbox/${name}`),
  ];
  const message = `${why} The table of rooms is scripts/house/rooms.mjs.`;
  const paths = types.map((name) => ({ name: `@mustard-sandbox/${name}`, allowTypeImports: true, message }));
  return { patterns: [noAddon, { group, message }], ...(paths.length > 0 ? { paths } : {}) };
}
