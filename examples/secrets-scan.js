/**
 * Strings that look like keys, tokens or passwords, found without showing them.
 *
 * Shows where they are and of which kind. By their known forms only: another secret is not found.
 *
 * @param {string} [dir="attachments:"] - the folder, with all below it; the attachments, if not given
 * @param {number} [limit=50] - how many findings are shown
 * @example mustard-sandbox run secrets-scan.js --root src --input 'dir="."'
 */
const { dir = 'attachments:', limit = 50 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('dir', dir, typeof dir === 'string', 'the path of a folder');
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

const kinds = {
  'private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----/g,
  'AWS access key': /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  'GitHub token': /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})/g,
  'GitLab token': /\bglpat-[A-Za-z0-9_-]{20,}/g,
  'Slack token': /\bxox[abeprs]-[A-Za-z0-9-]{10,}/g,
  'Google API key': /\bAIza[A-Za-z0-9_-]{35}/g,
  'Stripe key': /\b[rs]k_live_[A-Za-z0-9]{20,}/g,
  'npm token': /\bnpm_[A-Za-z0-9]{36}\b/g,
  'API key': /\bsk-[A-Za-z0-9_-]{32,}/g,
  'JSON web token': /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
  'password in an address': /\b[a-z][a-z0-9+.-]*:\/\/[^\s:@\/"'<>]+:[^\s:@\/"'<>${}]+@[\w.-]/gi,
  'password in a setting':
    /(?:password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token)["']?\s*[:=]\s*["'][^\s"'${}<>]{8,}["']/gi,
};

/** What one of them must have. One scan for all: each is an instruction for every character, and some are slow. */
const clues =
  /^.*(?:-----BEGIN|AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox|AIza|k_live_|npm_|sk-|eyJ|:\/\/[^\s\/]*@|password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token).*$/gim;

const found = { files: 0, findings: 0, byKind: {}, shown: [] };
function add(path, line, kind, secret) {
  found.findings++;
  found.byKind[kind] = (found.byKind[kind] ?? 0) + 1;
  if (found.shown.length < limit) found.shown.push({ path, line, kind, characters: secret.length });
}

function look(path, text, firstLine) {
  const candidates = text.match(clues);
  if (candidates === null) return;
  const likely = candidates.join('\n');
  for (const [kind, pattern] of Object.entries(kinds)) {
    let position = 0;
    let line = firstLine;
    for (const secret of likely.match(pattern) ?? []) {
      const at = text.indexOf(secret, position);
      line += text.slice(position, at).split('\n').length - 1;
      position = at + secret.length;
      add(path, line, kind, secret);
    }
  }
}

const paths = dir === 'attachments:' ? list_files(dir) : filesIn(dir);
for (const path of paths) {
  if (eachBlock(path, (text, firstLine) => look(path, text, firstLine))) found.files++;
}

found;
