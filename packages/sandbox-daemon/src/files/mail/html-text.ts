/** The deepest nesting. No mail is deeper, and each closing tag is looked for among all open ones. */
const maxDepth = 2_000;

const hidden = new Set(['script', 'style', 'head', 'title']);
const blocks = new Set(
  'address article blockquote br dd div dl dt footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table tr ul'.split(
    ' ',
  ),
);

/** The text of a page, with each block on its own line. Elements that are nested too deep are left out. */
export async function textOfHtml(html: string): Promise<string> {
  const { Parser } = await import('htmlparser2');
  const parts: string[] = [];
  let depth = 0;
  let hiddenDepth = 0;
  const parser = new Parser({
    onopentag(name) {
      if (++depth > maxDepth) throw new TooDeep();
      if (hidden.has(name)) hiddenDepth++;
      if (blocks.has(name)) parts.push('\n');
      if (name === 'td' || name === 'th') parts.push(' ');
    },
    ontext(text) {
      if (hiddenDepth === 0) parts.push(text.replaceAll(/\s+/g, ' '));
    },
    onclosetag(name) {
      depth--;
      if (hidden.has(name)) hiddenDepth--;
      if (blocks.has(name)) parts.push('\n');
    },
  });
  try {
    parser.end(html);
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
  }
  const lines = parts.join('').split('\n');
  return lines
    .map((line) => line.trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

class TooDeep extends Error {}
