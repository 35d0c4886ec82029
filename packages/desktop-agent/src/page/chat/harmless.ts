// Control characters, characters that change the direction of writing, and invisible ones. The joiners of emoji and the
// marks of Hebrew and Arabic texts are not among them.
const turning =
  /(?![\n\t\r])[\u{e0100}-\u{e01ef}\p{Cc}\u115f\u1160\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0]/gu;

interface Node {
  value?: unknown;
  properties?: Record<string, unknown>;
  children?: Node[];
}

/** A plugin for the parsed text, because an entity such as `&#x202e;` becomes a character only in parsing. */
export function showHidden(): (tree: Node) => void {
  return show;
}

function show(node: Node): void {
  if (typeof node.value === 'string') node.value = visible(node.value);
  const { properties = {}, children = [] } = node;
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'string') properties[name] = visible(value);
  }
  for (const child of children) show(child);
}

/** The text with escapes in place of characters that would make it look like another text. */
export function visible(text: string): string {
  return text.replaceAll(turning, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);
}

/** The address of a link or an image, or nothing when it is harmful or useless here. */
export function safeAddress(address: string, key: string): string {
  const bare = address.trim();
  if (key === 'src') return /^data:image\/(?:png|jpeg|gif|webp);base64,/i.test(bare) ? bare : '';
  return /^(?:https?:\/\/|mailto:)/i.test(bare) ? bare : '';
}
