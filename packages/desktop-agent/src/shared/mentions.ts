// The mentions in a message. This runs in the server, which looks them up, and in the page, which completes them. So it uses
// nothing of Node.

/** `source` is the mention as it is written in the message. */
export type Mention =
  { kind: 'path' | 'version' | 'skill'; name: string; source: string } | { kind: 'problems'; source: string };

const pattern = /(?<=^|[\s(])@(?:"([^"\n]{1,1000})"|([^\s"@]{1,1000}))/g;

/** The mentions of a message, each once, in order. The server checks whether a path exists: `@types` may be a word. */
export function mentionsIn(text: string): Mention[] {
  const mentions = new Map<string, Mention>();
  const skill = /^\/([a-z0-9][a-z0-9-]{0,63})(?=\s|$)/.exec(text);
  if (skill !== null) mentions.set(skill[0], { kind: 'skill', name: skill[1] as string, source: skill[0] });
  for (const [, quoted, bare] of text.matchAll(pattern)) {
    // Punctuation at the end is not part of a name.
    const name = quoted ?? (bare as string).replace(/[.,;:!?)\]}'"]+$/, '');
    if (name === '') continue;
    const source = `@${name}`;
    const version = /^version:([0-9a-f]{7,40})$/.exec(name)?.[1];
    if (name === 'problems') mentions.set(source, { kind: 'problems', source });
    else if (version !== undefined) mentions.set(source, { kind: 'version', name: version, source });
    else mentions.set(source, { kind: 'path', name, source });
  }
  return [...mentions.values()];
}

/** A path as a mention. */
export function mentionOf(path: string): string {
  return /[\s"@]|[.,;:!?)\]}']$/.test(path) ? `@"${path}"` : `@${path}`;
}
