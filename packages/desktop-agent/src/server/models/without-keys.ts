// Servers repeat keys in their errors. They may cut, quote or encode them, or change the case.

/** The most characters of a server's message that are searched for keys. */
const maxChars = 20_000;
/** This many characters in a row do not match a part of a key by chance. */
const runLength = 8;
/** Something shorter is not a key but a word for a server that checks none, such as `none`. */
const shortestKey = 6;

/** The text with `…` in place of each key, each longer piece of a key, and each encoding of one. */
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

/** The key as it is, and as it is written in headers, addresses and JSON, all in lower case. */
function spellings(key: string): string[] {
  const bytes = Buffer.from(key);
  // In base64 a key looks different for each of three places where it may begin, and its ends depend on its neighbours.
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
