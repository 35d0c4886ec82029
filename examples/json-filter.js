// Finds the records with a certain field in a file of JSON lines, or in a JSON document with a list of records.
// Inputs: file ('attachments:events.jsonl'), field ('level', may be a path: 'user.plan'), equals ('error'), limit (10).
const path = typeof file === 'undefined' ? 'attachments:events.jsonl' : file;
const keys = (typeof field === 'undefined' ? 'level' : field).split('.');
const value = typeof equals === 'undefined' ? 'error' : equals;
const wanted = typeof limit === 'undefined' ? 10 : limit;
const step = 1048576;
const { size } = file_stats(path);

const found = { matches: 0, records: [] };
function look(record) {
  let item = record;
  for (const key of keys) item = item?.[key];
  if (item !== value) return;
  found.matches++;
  if (found.records.length < wanted) found.records.push(record);
}

/**
 * Parsing every line takes seven times as long as one look at the text of all. The text of a word, a whole
 * number or a boolean is the same in any JSON; of anything else (quotes, é, 1e3) it may not be.
 */
const key = keys[keys.length - 1];
const isPlain = (text) => /^[\w .:-]*$/.test(text);
const hasPlainText = typeof value === 'string' ? isPlain(value) : typeof value === 'boolean' || Number.isInteger(value);
const likely = new RegExp(`^.*"${key}"\\s*:\\s*${JSON.stringify(value).replace(/\./g, '\\.')}.*$`, 'gm');
function candidates(text) {
  if (hasPlainText && /^[a-z_]\w*$/i.test(key)) return text.match(likely) ?? [];
  return text.split('\n').filter((line) => line.trim() !== '');
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function filterLines() {
  let rest = '';
  for (let start = 0; start < size; start += step) {
    const text = rest + read_file(path, { start, length: step });
    const end = start + step < size ? text.lastIndexOf('\n') + 1 : text.length;
    rest = text.slice(end);
    for (const line of candidates(text.slice(0, end))) look(JSON.parse(line));
  }
}

/** A document has to be parsed as a whole, so it has to fit into the script's memory: some megabytes. */
function filterDocument() {
  const parts = [];
  for (let start = 0; start < size; start += step) parts.push(read_file(path, { start, length: step }));
  const document = JSON.parse(parts.join(''));
  const list = Array.isArray(document) ? document : Object.values(document).find((item) => Array.isArray(item));
  for (const record of list ?? [document]) look(record);
}

const head = read_file(path, { start: 0, length: Math.min(step, size) }).trimStart();
const firstLine = head.split('\n', 1)[0];
if (head.startsWith('{') && isJson(firstLine) && firstLine.length < head.trimEnd().length) filterLines();
else filterDocument();

found;
