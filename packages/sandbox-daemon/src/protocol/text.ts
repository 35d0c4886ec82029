const shownCharacters = 200;

/** Control, format (bidirectional overrides, zero-width) and surrogate characters, line and paragraph separators. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Untrusted text on one line, for logs and messages: what does not print is escaped, what is long is cut. */
export function oneLine(text: string, maxCharacters = 2_000): string {
  const { kept, isCut } = cut(text, maxCharacters);
  return escaped(kept) + (isCut ? '…' : '');
}

/** `text` in quotes, with what does not print escaped, and cut. */
export function quote(text: string): string {
  const { kept, isCut } = cut(text, shownCharacters);
  return `"${escaped(kept)}${isCut ? '…' : ''}"`;
}

function cut(text: string, maxCharacters: number): { kept: string; isCut: boolean } {
  const kept = Array.from(text.slice(0, 2 * maxCharacters))
    .slice(0, maxCharacters)
    .join('');
  return { kept, isCut: kept.length < text.length };
}

function escaped(text: string): string {
  return text.replace(unprintable, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

// In quotes a path may hold spaces. Elsewhere it ends at one: then the rest of the name stays, but not where it lies.
const quotedPath = /(['"`])(?:file:\/\/)?(?:\/|\\\\|[a-z]:[\\/])[^'"`\n]*\1/gi;
const barePath =
  /(?<![\w.])(?:file:\/\/)?(?:\/+[^\s/'"`()<>[\],;:]+|\\\\[^\s'"`()<>[\],;]+|[a-z]:[\\/][^\s'"`()<>[\],;:]*)(?:[\\/][^\s/'"`()<>[\],;:]*)*/gi;

/** Text of the system, of Node or of native code, without the absolute paths in it. */
export function withoutPaths(text: string): string {
  return text.replace(quotedPath, '$1<path>$1').replace(barePath, '<path>');
}
