// The person's own settings of git: who they are, and which files they always ignore.
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { GitConfigManager } from 'isomorphic-git/managers';
import { configWithIncludes } from './config-includes.ts';
import type { Config, Repository } from './repository.ts';

export interface Author {
  name: string;
  email: string;
}

const nobody: Author = { name: 'Mustard Agent', email: 'mustard-agent@localhost' };

/** The author of commits, from the repository's configuration, or else from the person's. */
export async function authorOf(repository: Repository): Promise<Author> {
  const value = async (key: string): Promise<string | undefined> => {
    const found = await setting(repository, key);
    // A line break would end the line of the author in the commit.
    const text = found?.replaceAll(/[<>\p{Cc}]/gu, ' ').trim();
    return text === '' ? undefined : text;
  };
  return { name: (await value('user.name')) ?? nobody.name, email: (await value('user.email')) ?? nobody.email };
}

/** A setting of the repository, or else of the person. A repository's includes are not read: it may be a stranger's. */
export async function setting(repository: Repository, key: string): Promise<string | undefined> {
  for (const config of [repository.config, ...(await personsConfigs(repository.gitdir))]) {
    const value = await config.get(key);
    if (value !== undefined) return String(value);
  }
  return undefined;
}

/** The lines of the person's own list of ignored files. @param gitdir the `.git` of the repository that asks */
export async function personsIgnoreFile(gitdir: string): Promise<string> {
  const home = process.env['HOME'] ?? homedir();
  let path = join(process.env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'git', 'ignore');
  for (const config of await personsConfigs(gitdir)) {
    const named = await config.get('core.excludesfile');
    if (typeof named === 'string') path = named.replace(/^~(?=\/)/, home);
  }
  return readFile(path, 'utf8').catch(() => '');
}

async function personsConfigs(gitdir: string): Promise<Config[]> {
  const home = process.env['HOME'] ?? homedir();
  const global = process.env['GIT_CONFIG_GLOBAL'];
  const paths =
    global === undefined
      ? [join(home, '.gitconfig'), join(process.env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'git', 'config')]
      : [global];
  const place = { home, gitdir };
  const texts = await Promise.all(paths.map((path) => configWithIncludes(path, place).catch(() => undefined)));
  return Promise.all(texts.filter((text) => text !== undefined).map(parseConfig));
}

/** Uses isomorphic-git's parser, which reads only a file that is called `config`. */
async function parseConfig(text: string): Promise<Config> {
  const fs = { read: async () => text };
  return GitConfigManager.get({ fs: fs as never, gitdir: '' });
}
