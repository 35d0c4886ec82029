import { fold, lower } from './glob.ts';

/**
 * Names that no script reads, wherever they stand in a path; docs/denied-names.md has them for readers, and a test
 * holds the two together. Each pattern is matched against a whole segment in lower case. What is below a denied
 * folder is denied with it.
 */
const secretNames: readonly string[] = [
  // Environment files. `.env`, `.env.local`, `.env-prod`, `.env_old`, `.env~`; not `.environment.md`, not `.envoy`.
  '\\.env(?:rc)?(?![a-z]).*',
  '.+\\.env(?:\\.local)?', // prod.env
  // Version control: tokens in its configuration, and the contents of files that are long deleted.
  '\\.git', // In a worktree it is a file that names a folder elsewhere.
  '\\.(?:hg|svn)',
  '\\.git-credentials',
  'node_modules',
  // Folders of credentials.
  '\\.(?:ssh|aws|azure|oci|config|gnupg|kube|docker|password-store|terraform\\.d|mozilla)',
  // Files of credentials.
  '\\.(?:npmrc|yarnrc.*|pypirc|gemrc|condarc|dockercfg|terraformrc)',
  'credentials\\.toml', // Cargo
  '[._]netrc',
  '\\.(?:pgpass|my\\.cnf|mylogin\\.cnf|s3cfg|boto|htpasswd|vault-token|smbcredentials|msmtprc|curlrc|wgetrc)',
  '(?:pgpass|rclone)\\.conf',
  // Shell and REPL history.
  '\\..*history', // .bash_history, .node_repl_history, .zhistory
  '\\..*_history.*', // bash and Python write .bash_history-1234.tmp and the like first
  '\\.(?:histfile|lesshst|viminfo)',
  'fish_history',
  'consolehost_history\\.txt', // PowerShell
  // Private keys, key stores, and state that holds secrets in the clear.
  '.*\\.(?:key|pem|p12|pfx|p8|pk8|ppk|jks|jceks|bks|keystore|kdbx|keychain|keychain-db|ovpn|tfvars|tfstate|tfstate\\..*)',
  'id_(?:rsa|dsa|ecdsa|ed25519).*',
  // What Windows calls some of these where it makes short names; a Linux may have such a disk mounted (WSL).
  '(?:env|envrc|git|git-cr|hg|svn|node_m|ssh|aws|azure|oci|config|gnupg|kube|docker|passwo|terraf|npmrc|yarnrc|pypirc|netrc|id_ed2)~\\d.*',
];

// A lenient file system drops dots and spaces at the end: `.ssh.` is `.ssh` on a FAT disk, under Linux as well.
const secretName = new RegExp(`^(?:${secretNames.join('|')})[. ]*$`, 's');

/** Whether a single name is on the list, as a lenient file system may read it. */
export function isSecretName(name: string): boolean {
  if (secretName.test(lower(name))) return true;
  // eslint-disable-next-line no-control-regex -- ASCII names, nearly all, fold to themselves.
  return !/^[\x00-\x7f]*$/.test(name) && secretName.test(fold(name));
}
