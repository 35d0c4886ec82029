// Servers repeat keys in their errors: whole, cut, quoted, in another case, encoded.

/** The most characters of a server's message that are searched for keys. */
const maxChars = 20_000;
/** So many characters in a row that a key has too are not there by chance. */
const runLength = 8;
/** What is shorter is a word that a server wants and does not look at, such as `none`. */
const shortestKey = 6;

/** The text with `…` in the place of each key, of each longer piece of one, and of what encodes one. */
export function withoutKeys(text: string, keys: readonly string[]): string {
  const start = text.slice(0, maxChars);
  const secret = keys.filter((key) => key.length >= shortestKey).flatMap(spellings);
  if (secret.length === 0) return start;
  // A server may break a key over lines.
  const places = [...start.matchAll(/\S/g)].map(({ index }) => index);
  const bare = places
    .map((place) => start[place])
    .join('')
    .toLowerCase();
  const hidden = new Set<number>();
  for (const run of new Set(secret.flatMap(runsOf))) {
    for (let at = bare.indexOf(run); at !== -1; at = bare.indexOf(run, at + 1)) {
      for (let index = at; index < at + run.length; index++) hidden.add(index);
    }
  }
  const isHidden = new Set([...hidden].map((index) => places[index]));
  let shown = '';
  for (let index = 0; index < start.length; index++) {
    if (!isHidden.has(index)) shown += start[index];
    else if (!isHidden.has(index - 1)) shown += '…';
  }
  return shown;
}

/** As itself and as headers, addresses and JSON have it, in lower case. */
function spellings(key: string): string[] {
  const bytes = Buffer.from(key);
  // In base64 a key looks otherwise for each of the three places where it may begin, and its ends depend on what is around it.
  const inBase64 = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    return text.slice(before === 0 ? 0 : before + 1, -1);
  });
  const urlSafe = inBase64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const all = [
    key,
    encodeURIComponent(key),
    JSON.stringify(key).slice(1, -1),
    bytes.toString('hex'),
    ...inBase64,
    ...urlSafe,
  ];
  return [...new Set(all.map((text) => text.replace(/\s/g, '').toLowerCase()))];
}

function runsOf(spelling: string): string[] {
  if (spelling.length <= runLength) return [spelling];
  return Array.from({ length: spelling.length - runLength + 1 }, (_, at) => spelling.slice(at, at + runLength));
}
