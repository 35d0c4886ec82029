/**
 * Risky settings in the configuration files of a tree, without showing their values.
 *
 * Debug modes, checks switched off, passwords written out, and so on: where they are, and the names of the settings.
 * Looks at single lines, so it finds hints and no proofs. Files that scripts may not read, such as .env, are left out.
 *
 * @param {string} [dir="."] - the folder, with all below it
 * @param {string[]} [extensions=[".json", ".yaml", ".yml", ".toml", ".ini", ".conf", ".cfg", ".properties", ".xml"]] - endings of the files to look at
 * @param {number} [limit=50] - how many findings are shown
 * @example mustard-sandbox run config-audit.js --root .
 */
const {
  dir = '.',
  extensions = ['.json', '.yaml', '.yml', '.toml', '.ini', '.conf', '.cfg', '.properties', '.xml'],
  limit = 50,
} = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
const isList = (value) => Array.isArray(value) && value.every((item) => typeof item === 'string');
check('dir', dir, typeof dir === 'string', 'the path of a folder');
check('extensions', extensions, isList(extensions), 'a list of texts');
check('limit', limit, Number.isInteger(limit) && limit >= 0, 'a whole number from 0');

const step = 1048576;
/** Calls `look` with the text of a file and the number of its first line, about 1 MiB of whole lines at a time. */
function eachBlock(path, look) {
  const { size, isText } = file_stats(path);
  if (!isText) return false;
  let line = 1;
  let rest = '';
  for (let start = 0; start < size; start += step) {
    const text = rest + read_file(path, { start, length: step });
    const end = start + step < size ? text.lastIndexOf('\n') + 1 || text.length : text.length;
    rest = text.slice(end);
    const block = text.slice(0, end).split('\r\n').join('\n');
    look(block, line);
    if (rest !== '') line += block.split('\n').length - 1;
  }
  return true;
}

/** All files in a folder and below it. */
function filesIn(folder) {
  const files = [];
  const folders = [folder];
  while (folders.length > 0) {
    for (const entry of list_files(folders.pop())) {
      if (entry.endsWith('/')) folders.push(entry);
      else files.push(entry);
    }
  }
  return files;
}

/** A setting: its name, = or : between, and what the value must look like. */
const setting = (name, value, ending = '[\\w.-]*') =>
  `\\b[\\w.-]*(?:${name})${ending}["']?\\s*[:=]>?\\s*["']?(?:${value})`;
const off = '(?:false|off|no|none|0|disabled?|never)\\b';
const on = '(?:true|on|yes|1|enabled?)\\b';
const secret = 'a password or key is written out';
const rules = {
  'debug mode is on': setting('debug', on),
  'certificates are not checked': setting(
    '(?:ssl|tls|cert|peer|host)[\\w.-]*(?:verify|verification)|verify[\\w.-]*(?:ssl|tls|cert|peer|host)|strict[_-]?ssl|reject_?unauthorized',
    off,
  ),
  'security is switched to insecure': setting('insecure|skip[_-]?verify', on),
  'authentication is off': setting('auth(?:entication|orization)?[_.-]?(?:enabled|mode|required)?', off, ''),
  'listens on all addresses': '\\b0\\.0\\.0\\.0\\b|\\[::\\]',
  'any origin is allowed': setting('origins?|cors', '\\[?\\s*["\']?\\*'),
  'a container has all rights': setting('privileged', on),
  'files are open to everybody': setting('mode|umask|permissions?|chmod', '0?o?777\\b'),
  [secret]: setting(
    'password|passwd|pwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token',
    // Not a reference such as ${NAME}, {{ name }}, <name> or %NAME%, and nothing that is no value.
    '[^\\s"\'${<%\\[][^\\s"\']{3,}',
  ),
  'a password is in an address': '[a-z][a-z0-9+.-]*://[^\\s:@/"\']+:[^\\s:@/"\'${<%][^\\s@/"\']*@',
};
const patterns = Object.entries(rules).map(([rule, pattern]) => ({
  rule,
  pattern: new RegExp(`^.*(?:${pattern}).*$`, 'gim'),
}));
/** What one of them must have. One scan for all, because each rule is slow. */
const clues =
  /^.*(?:debug|verif|ssl|tls|unauthorized|insecure|auth|0\.0\.0\.0|\[::\]|origin|cors|privileged|777|passw|pwd|secret|key|token|:\/\/).*$/gim;
const comment = /^\s*(?:#|;|\/\/|<!--)/;
const noValue = /[:=]\s*["']?(?:null|none|true|false|undefined|string|required)\b/i;
const name = /["']?([\w.-]+)["']?\s*[:=]/;

const found = { files: 0, findings: 0, byRule: {}, shown: [] };
function look(path, text, firstLine) {
  const candidates = text.match(clues);
  if (candidates === null) return;
  const likely = candidates.filter((line) => !comment.test(line)).join('\n');
  for (const { rule, pattern } of patterns) {
    let position = 0;
    let number = firstLine;
    for (const line of likely.match(pattern) ?? []) {
      if (rule === secret && noValue.test(line)) continue;
      const at = text.indexOf(line, position);
      number += text.slice(position, at).split('\n').length - 1;
      position = at + line.length;
      found.findings++;
      found.byRule[rule] = (found.byRule[rule] ?? 0) + 1;
      if (found.shown.length < limit)
        found.shown.push({ path, line: number, rule, setting: line.match(name)?.[1] ?? '' });
    }
  }
}

for (const path of filesIn(dir)) {
  if (!extensions.some((extension) => path.endsWith(extension))) continue;
  if (eachBlock(path, (text, firstLine) => look(path, text, firstLine))) found.files++;
}

found;
