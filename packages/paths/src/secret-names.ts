import { fold, lower } from './glob.ts';

/**
 * Names that no script reads, wherever they stand in a path. docs/denied-names.md lists them for readers, and a test
 * compares the two. Each pattern is matched against a whole segment in lower case. Whatever is below a denied folder is
 * denied too.
 */
const secretNames: readonly string[] = [
  // Environment files, and everything that begins like them: `.env.local`, `.env~`, `.envrc`, `.envs/`, `.environment`,
  // `.envProd`.
  '\\.env.*',
  '.+\\.env(?:\\.local)?', // prod.env
  '\\.(?:flaskenv|dev\\.vars.*)', // Flask, Cloudflare
  // Version control: tokens in its configuration, and the contents of deleted files.
  '\\.git', // In a worktree `.git` is a file that names a folder elsewhere.
  '\\.(?:hg|svn)',
  '\\.git-credentials',
  'node_modules',
  // Folders of credentials.
  '\\.(?:ssh|aws|azure|oci|config|gnupg|kube|docker|password-store|terraform\\.d|mozilla|gem|pulumi|kaggle)',
  '\\.(?:claude|codex|gemini)', // agents keep logins and all conversations there
  // Files of credentials.
  '\\.(?:npmrc|yarnrc.*|pypirc|gemrc|condarc|dockercfg|dockerconfigjson|terraformrc|databrickscfg)',
  'credentials\\.(?:toml|json)',
  'secrets\\.(?:json|ya?ml|toml)',
  '\\.secrets?', // tools that run GitHub workflows locally read it
  '(?:service[-_]?account|client_secret).*\\.json',
  'application_default_credentials\\.json',
  '(?:.+\\.)?kubeconfig',
  '[._]netrc',
  '\\.authinfo(?:\\.gpg)?',
  '\\.(?:pgpass|my\\.cnf|mylogin\\.cnf|s3cfg|boto|htpasswd|vault-token|smbcredentials|msmtprc|curlrc|wgetrc)',
  '\\.vault_pass.*', // Ansible
  '(?:pgpass|\\.?rclone)\\.conf',
  // Shell and REPL history.
  '\\..*history', // .bash_history, .node_repl_history, .zhistory
  '\\..*_history.*', // bash and Python first write names such as .bash_history-1234.tmp
  '\\.(?:histfile|lesshst|viminfo)',
  'fish_history',
  'consolehost_history\\.txt', // PowerShell
  // Files in which browsers and wallets keep secrets.
  'cookies(?:\\.sqlite)?',
  'key[34]\\.db',
  'logins\\.json',
  'wallet\\.dat',
  // Private keys, key stores, and state that holds secrets in the clear.
  '.*\\.(?:key|pem|p12|pfx|p8|pk8|ppk|jks|jceks|bks|keystore|keytab|kdbx?|keyring|keychain|keychain-db|ovpn)',
  '.*\\.(?:tfvars|tfvars\\.json|tfstate|tfstate\\..*)',
  'id_(?:rsa|dsa|ecdsa|ed25519).*',
  'ssh_host_.*_key',
  // Short names that Windows gives to some of these names. Linux may have such a disk mounted (WSL).
  '(?:env|envrc|git|git-cr|hg|svn|node_m|ssh|aws|azure|oci|config|gnupg|kube|docker|passwo|terraf|npmrc|yarnrc|pypirc|netrc|id_ed2|secret)~\\d.*',
  '(?:flaske|authin|gem|pulumi|databr|kaggle|kubeco|vault_|claude|codex|gemini)~\\d.*',
  '(?:applic|client|creden|servic)~\\d\\.(?:jso|tom|yam)',
];

/**
 * Ordinary names that are secret in one folder only. Each is a pair of folder and name, which are two neighbouring
 * segments of a path.
 */
const secretPairs: readonly (readonly [folder: string, name: string])[] = [
  ['\\.cargo', 'credentials.*'],
  ['\\.m2', 'settings.*\\.xml'],
  ['\\.gradle', 'gradle\\.properties'],
  ['\\.composer', 'auth\\.json'],
  ['\\.dyad', 'media'], // Attachments of every chat. A script reads those of its own chat by name.
];

/**
 * Templates that are published with a program, so they hold no secret. The spelling must be exact, and no link may lead
 * to them.
 */
const publishedNames: ReadonlySet<string> = new Set(['.env.example', '.env.sample', '.env.template']);

/** The endings that editors and people give to a copy of a file, or to a copy of a copy. */
const copied = '(?:~|\\.(?:bak|backup|old|orig|save|sw[a-z]))*';

// A lenient file system drops dots and spaces at the end of a name: `.ssh.` is `.ssh` on a FAT disk, even under Linux.
const droppedAtTheEnd = '[. ]*';

const secretName = anyOf([...secretNames, ...hidden(secretNames)]);
const secretPair = anyOf(secretPairs.map(([folder, name]) => `${folder}${droppedAtTheEnd}/${name}`));

/** Whether one of the names in a path is on the list, in any spelling that a lenient file system treats as the same. */
export function isSecret(segments: readonly string[]): boolean {
  return segments.some((name, index) => {
    if (publishedNames.has(name)) return false;
    if (matches(secretName, name)) return true;
    const folder = segments[index - 1];
    return folder !== undefined && matches(secretPair, `${folder}/${name}`);
  });
}

function matches(pattern: RegExp, name: string): boolean {
  if (pattern.test(lower(name))) return true;
  // ASCII names, which are nearly all, fold to themselves.
  // oxlint-disable-next-line no-control-regex -- NUL is an ASCII character
  return !/^[\x00-\x7f]*$/.test(name) && pattern.test(fold(name));
}

function anyOf(patterns: readonly string[]): RegExp {
  return new RegExp(`^(?:${patterns.join('|')})${copied}${droppedAtTheEnd}$`, 's');
}

/**
 * The names of hidden copies: for `id_rsa`, vim's swap file is `.id_rsa.swp`, the lock of Emacs `.#id_rsa` and its copy
 * `#id_rsa#`.
 */
function hidden(patterns: readonly string[]): string[] {
  const any = `(?:${patterns.join('|')})`;
  return [`\\.${any}\\.sw[a-z]`, `\\.?#${any}#?`];
}
