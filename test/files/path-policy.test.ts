import { describe, expect, test } from 'vitest';
import { checkPath, compileDenyGlob, isDenied } from '@mustard-sandbox/paths';
import { errorOf } from './support.ts';

const platforms = ['linux', 'darwin', 'win32'] as const;

const refusedEverywhere: [path: unknown, why: RegExp][] = [
  [undefined, /must be a string/],
  [null, /must be a string/],
  [7, /must be a string/],
  [['a'], /must be a string/],
  ['', /empty/],
  ['a'.repeat(5000), /longer than/],
  ['/etc/passwd', /absolute/],
  ['/', /absolute/],
  ['//server/share/file', /absolute/],
  ['//?/C:/x', /absolute/],
  ['//./pipe/x', /absolute/],
  ['//localhost/c$/x', /absolute/],
  ['/??/C:/x', /absolute/],
  ['\\\\server\\share', /backslash/],
  ['\\\\?\\C:\\x', /backslash/],
  ['\\\\.\\pipe\\x', /backslash/],
  ['a/\\..\\..\\x', /backslash/],
  ['a:$I30:$INDEX_ALLOCATION', /':'/],
  ['\\etc', /backslash/],
  ['a\\b', /backslash/],
  ['..\\..\\x', /backslash/],
  ['C:', /':'/],
  ['C:x', /':'/],
  ['C:/x', /':'/],
  ['file:///etc/passwd', /':'/],
  ['secret.txt:stream', /':'/],
  ['secret.txt::$DATA', /':'/],
  ['a/b:c/d', /':'/],
  ['Attachments:x', /':'/],
  ['./attachments:x', /':'/],
  ['~', /'~'/],
  ['~/x', /'~'/],
  ['~root/x', /'~'/],
  ['./~/x', /'~'/],
  ['..', /'\.\.'/],
  ['../x', /'\.\.'/],
  ['a/../b', /'\.\.'/],
  ['a/..', /'\.\.'/],
  ['a/./../../b', /'\.\.'/],
  ['a\0b', /control/],
  ['a.txt\0.png', /control/],
  ['a\nb', /control/],
  ['a\x7f', /control/],
  ['a\x85', /control/],
  ['a\ud800', /broken Unicode/],
  ['a\ufffd', /broken Unicode/],
  ...['CON', 'con', 'PRN', 'AUX', 'NUL', 'COM1', 'com9', 'LPT1', 'LPT9', 'COM¹', 'LPT³', 'CONIN$', 'conout$'].flatMap(
    (name): [string, RegExp][] =>
      [name, `${name}.txt`, `a/${name}/b`, `${name} .log`, `${name}  `, `${name}.`, `${name}.tar.gz`].map((path) => [
        path,
        /device/,
      ]),
  ),
];

const refusedOnWindows: [path: string, why: RegExp][] = [
  ['a.', /dots and spaces/],
  ['a ', /dots and spaces/],
  ['.ssh./id', /dots and spaces/],
  ['a/... /b', /dots and spaces/],
  ['...', /dots and spaces/],
  ['PROGRA~1', /short names/],
  ['GIT~1/config', /short names/],
  ['a/ENV~1.LOC', /short names/],
];

const accepted: [path: string, segments: string[]][] = [
  ['.', []],
  ['./', []],
  ['a', ['a']],
  ['a/', ['a']],
  ['./a//b/./c/', ['a', 'b', 'c']],
  ['..a/b..c/d...e', ['..a', 'b..c', 'd...e']],
  ['a/~b', ['a', '~b']],
  ['notes~', ['notes~']],
  ['%2e%2e/%2fetc', ['%2e%2e', '%2fetc']],
  ['%c0%ae%c0%ae/%252e', ['%c0%ae%c0%ae', '%252e']],
  ['\u2024\u2024/\u2215etc', ['\u2024\u2024', '\u2215etc']],
  ['\uff0e\uff0e/a\uff0fb', ['\uff0e\uff0e', 'a\uff0fb']],
  ['caf\u00e9', ['caf\u00e9']],
  ['cafe\u0301', ['cafe\u0301']],
  ['console.log', ['console.log']],
  ['com10', ['com10']],
  ['a.con', ['a.con']],
  ['constructor', ['constructor']],
  ['__proto__', ['__proto__']],
  [' a', [' a']],
];

describe('checkPath', () => {
  test.each(refusedEverywhere)('refuses %j on every platform', (path, why) => {
    for (const platform of platforms) {
      expect(checkPath(path, platform)).toEqual({ kind: 'refused', why: expect.stringMatching(why) });
    }
  });

  test.each(refusedOnWindows)('refuses %j on Windows, where it is another name', (path, why) => {
    expect(checkPath(path, 'win32')).toEqual({ kind: 'refused', why: expect.stringMatching(why) });
    expect(checkPath(path, 'linux')).toMatchObject({ kind: 'root' });
  });

  test.each(accepted)('takes %j apart', (path, segments) => {
    for (const platform of platforms) expect(checkPath(path, platform)).toEqual({ kind: 'root', segments });
  });

  test.each(['server.log', '', '.env', '../x', 'C:\\x', 'a/b'])('leaves the attachment name %j alone', (name) => {
    expect(checkPath(`attachments:${name}`)).toEqual({ kind: 'attachment', name });
  });
});

const secrets = [
  ...['.env', '.env.local', '.env.production.local', '.env-old', '.env_backup', '.env~', '.env2', '.envrc'],
  ...['.git', '.git-credentials', 'node_modules', '.ssh', '.aws', '.config', '.gnupg', '.kube', '.docker'],
  ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.pypirc', '.netrc', '_netrc'],
  ...['.bash_history', '.zsh_history', '.python_history', '.node_repl_history', '.sh_history', '.psql_history'],
  ...['.mysql_history', '.sqlite_history', '.irb-history', '.Rhistory', '.lesshst', 'fish_history', '.histfile'],
  ...['.bash_history-4711.tmp', 'ConsoleHost_history.txt'],
  ...['server.key', 'cert.pem', 'a.p12', 'a.pfx', '.key', '.pem', 'x\n.pem'],
  ...['prod.env', 'a.b.env', 'prod.env.local', '.hg', '.svn', '.azure', '.oci', '.password-store', '.mozilla'],
  ...['.pgpass', 'pgpass.conf', '.my.cnf', '.mylogin.cnf', '.s3cfg', '.boto', '.htpasswd', '.vault-token'],
  ...['.dockercfg', '.terraformrc', '.smbcredentials', '.curlrc', '.wgetrc', 'rclone.conf', 'credentials.toml'],
  ...['release.jks', 'my.keystore', 'passwords.kdbx', 'putty.ppk', 'AuthKey.p8', 'login.keychain-db', 'vpn.ovpn'],
  ...['terraform.tfstate', 'terraform.tfstate.backup', 'prod.tfvars', '.viminfo'],
  ...['.ssh.', '.ssh ', '.git. .', 'server.key.', 'prod.env ', 'node_modules..'],
  ...['git~1', 'ssh~1', 'env~1', 'env~1.loc', 'node_m~1', 'config~2', 'id_ed2~1', 'npmrc~1'],
  ...['.envs', '.environment', '.envfile', '.envvars', '.envlocal', '.envprod', '.envoy', '.env.example.bak'],
  ...['.dev.vars', '.dev.vars.production', '.flaskenv', 'prod.env.bak', '.authinfo', '.authinfo.gpg', '.rclone.conf'],
  ...['prod.tfvars.json', '.gem', '.pulumi', '.databrickscfg', '.kaggle', 'kubeconfig', 'prod.kubeconfig'],
  ...['.dockerconfigjson', 'ssh_host_rsa_key', 'host.keytab', 'a.kdb', 'login.keyring', 'wallet.dat', 'key4.db'],
  ...['logins.json', 'cookies', '.vault_pass', '.vault_pass.txt', '.claude', '.codex', '.gemini', 'client_secret.json'],
  ...['application_default_credentials.json', 'client_secret_12.apps.json', 'credentials.json', 'service-account.json'],
  ...['service-account-prod.json', 'secrets.json', 'secrets.yaml', 'secrets.yml', 'secrets.toml'],
  ...['.netrc~', 'server.key.bak', 'id_ed25519.old', 'terraform.tfvars.orig', '.npmrc.swp', '.pypirc.bak~', '.git.old'],
  ...['.id_rsa.swp', '.server.key.swo', '#.npmrc#', '.#server.key', 'secrets.json.save', 'creden~1.jso'],
  ...['id_rsa', 'id_rsa.pub', 'id_ed25519', 'id_ed25519_sk', 'id_ecdsa', 'id_dsa', 'id_rsa.bak'],
];

const noSecrets = [
  ...['env', 'my.env.md', 'environment', '.github', '.gitignore', 'environment.md', 'envoy.yaml', 'dev.vars'],
  ...[
    'credentials',
    'secrets',
    'secrets.md',
    'service-account.md',
    'authinfo',
    'gem',
    'keyring',
    'wallet.data',
    'cookies.ts',
  ],
  ...[
    'config.json.bak',
    'notes.txt~',
    'server.log.old',
    'a.swp',
    '#notes#',
    'claude.md',
    'kubeconfig.md',
    'ssh_host_rsa_key.pub',
  ],
  ...['credentials.rs.bak', 'client~1.doc', 'settings.xml', 'auth.json', 'gradle.properties'],
  ...['.gitattributes', 'git', 'node_modules.md', 'ssh', '.sshfoo', 'config', '.configure', 'npmrc', 'yarnrc'],
  ...['history', 'history.md', 'my_history.txt', 'HISTORY.md', 'keys', 'key.txt', 'a.keynote', 'pem', 'a.pem.md'],
  ...['prod.env.md', 'production.environment', 'my.envy', 'hg', 'svn', 'a.hg', '.github', 'azure'],
  ...['credentials.md', 'credentials.rs', 'pgpass.md', 'rclone.md', 'jks', 'a.jks.md', 'keystore.ts', 'tfstate.md'],
  ...['password-store', '.passwords.md', 'curlrc', 'git~', 'notes~1', 'digit~1', '.terraform.lock.hcl', 'main.tf'],
  ...['my_id_rsa', 'identity', 'id.txt', '.dockerignore', 'docker', 'netrc'],
];

describe('isDenied', () => {
  test.each(secrets)('denies %j anywhere in a path, in any case', (name) => {
    const variants = [name, name.toUpperCase(), name[0] + name.slice(1).toUpperCase()];
    for (const variant of variants) {
      for (const path of [[variant], ['a', variant], [variant, 'a'], ['a', variant, 'b', 'c']]) {
        expect(isDenied(path, []), path.join('/')).toBe(true);
      }
    }
  });

  test.each(noSecrets)('lets %j pass', (name) => {
    expect(isDenied([name], [])).toBe(false);
    expect(isDenied(['a', name.toUpperCase(), 'b'], [])).toBe(false);
  });

  test.each(['.env.example', '.env.sample', '.env.template'])('lets %j pass, in this very spelling', (name) => {
    expect(isDenied(['a', name], [])).toBe(false);
    for (const other of [name.toUpperCase(), `${name}.local`, `${name}~`, `${name}.`, `x${name}.env`]) {
      expect(isDenied(['a', other], []), other).toBe(true);
    }
    expect(isDenied(['.env.d', name], [])).toBe(true);
  });

  test.each([
    ['.cargo', 'credentials'],
    ['.cargo', 'credentials.toml'],
    ['.m2', 'settings.xml'],
    ['.m2', 'settings-security.xml'],
    ['.gradle', 'gradle.properties'],
    ['.composer', 'auth.json'],
  ])('denies what only its folder tells for a secret: %s/%s', (folder, name) => {
    for (const path of [
      [folder, name],
      ['home', folder.toUpperCase(), name.toUpperCase()],
      [`${folder}.`, `${name}~`],
    ]) {
      expect(isDenied(path, []), path.join('/')).toBe(true);
    }
    for (const path of [[folder], [folder, 'x'], [folder, 'x', name], [name, folder]]) {
      expect(isDenied(path, []), path.join('/')).toBe(name === 'credentials.toml' && path.includes(name));
    }
  });

  test('long names cost no more than a look at each character', () => {
    const started = performance.now();
    for (const part of ['.', '.key', '.key~', '.env ', '._history', '#', '.swp', '~', 'client_secret']) {
      isDenied([part.repeat(4096 / part.length) + 'x'], []);
    }
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test.each([
    ['long s', '.\u017fsh'],
    ['Kelvin sign', '.\u212aube'],
    ['fullwidth', '\uff0e\uff45\uff4e\uff56'],
    ['zero-width joiner', '.g\u200dit'],
    ['zero-width non-joiner', '.gi\u200ct'],
    ['byte order mark', '\ufeff.ssh'],
    ['right-to-left mark', '.npmrc\u200f'],
    ['fi ligature', '.con\ufb01g'],
    ['dotless i', '.g\u0131t'],
    ['dotted capital i', '.G\u0130T'],
    ['dotted capital i, taken apart', '.gI\u0307t'],
    ['a trailing ideographic space', '.ssh\u3000'],
    ['capital fullwidth', '.\uff33\uff33\uff28'],
  ])('denies a name that a lenient file system takes for a secret: %s', (_what, name) => {
    expect(isDenied(['a', name], [])).toBe(true);
  });
});

describe("the caller's deny patterns", () => {
  const rows: [glob: string, denied: string[], passed: string[]][] = [
    ['*.csv', ['a.csv', 'x/A.CSV', 'a.csv/x', '.csv'], ['a.csv.txt', 'csv']],
    ['private', ['private', 'Private/x', 'a/private/b', 'private.', 'private . /x'], ['privates', 'a/xprivate']],
    ['private/', ['private', 'a/private/b'], ['privates']],
    ['/build', ['build', 'build/x'], ['a/build']],
    ['data/raw', ['data/raw', 'DATA/Raw/x/y'], ['data', 'data/rawx', 'x/data/raw', 'data/x/raw']],
    ['data/*', ['data/a', 'data/a/b'], ['data', 'x/data/a']],
    ['data/**', ['data', 'data/a/b'], ['datax/a']],
    ['data/**/x', ['data/x', 'data/a/x', 'data/a/b/x/c'], ['data/a', 'x']],
    ['**/tmp/*.log', ['tmp/a.log', 'a/b/tmp/c.log'], ['tmp/a.txt', 'a.log']],
    ['a?c', ['abc', 'a\u{1f600}c', 'x/aéc'], ['ac', 'abbc']],
    ['a?b', ['a\ufb01b'], ['afib']],
    ['a**b', ['ab', 'axxb'], ['a/b']],
    ['a.b', ['a.b'], ['axb']],
    ['(a|b)+$', ['(a|b)+$'], ['a', 'ab']],
    ['caf\u00e9', ['cafe\u0301', 'CAF\u00c9'], ['cafe']],
    ['**', ['a', 'a/b'], []],
  ];

  test.each(rows)('%j', (glob, denied, passed) => {
    const globs = [compileDenyGlob('zzz'), compileDenyGlob(glob)];
    expect(denied.filter((path) => !isDenied(path.split('/'), globs))).toEqual([]);
    expect(passed.filter((path) => isDenied(path.split('/'), globs))).toEqual([]);
  });

  test.each(['', '/', '//', '*.{key,crt}', '[ab].txt', '!a', 'a\\b', '../x', 'a/../b', './a', '~/x', 'C:/x', 'a\0'])(
    '%j is refused: it would deny less than it looks',
    (glob) => {
      expect(errorOf(() => compileDenyGlob(glob))).toMatchObject({ code: 'invalid_request' });
    },
  );

  test('hostile names cost no more than pattern × name steps', () => {
    const globs = [compileDenyGlob(`${'*a'.repeat(100)}*b`), compileDenyGlob(`${'**/a/'.repeat(100)}b`)];
    const started = performance.now();
    expect(isDenied(['a'.repeat(255)], globs)).toBe(false);
    expect(isDenied(Array<string>(2000).fill('a'), globs)).toBe(false);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
